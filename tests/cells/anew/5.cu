double f(double a) { return a / 4; }
printf("%d %d %g\n", helper(1), use(1), f(1.));
