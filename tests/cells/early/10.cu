SAY(f(x)) // no semicolon
