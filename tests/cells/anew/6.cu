int f(int a) { return 7; }
printf("%d %d %g\n", helper(1), use(1), f(1.));
throw 1;
int scale = 9;
