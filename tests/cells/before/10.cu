total + more
