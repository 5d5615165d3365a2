int jn = 1;
float floor = 3;
floor + jn
