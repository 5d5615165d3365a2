int kept = twice(1);
throw 1;
int twice(int x) { return 4 * x; }
