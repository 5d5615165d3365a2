int over(double x) { return 2; }
printf("%d %d\n", over(1), over(1.0));
