f() + g() + more + again
