int r = f(2);
double f(int x) { return x + 0.5; }
