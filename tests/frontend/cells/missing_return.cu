// left it is to be told: non-void function does not return
int f(int n) { if (n) printf("%d\n", n); }
