n = 7;
host()
