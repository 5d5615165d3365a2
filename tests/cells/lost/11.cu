through(1)
