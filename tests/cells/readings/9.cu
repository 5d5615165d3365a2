short(a) - unsigned(b)
