double x = 2.5;
int g(int a) { return 100 * a; }
f(1)
