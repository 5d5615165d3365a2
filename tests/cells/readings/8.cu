long(a) * 2
