int x = 6, z = 1;
int twice(int n) { return n + n; }
twice(x)
