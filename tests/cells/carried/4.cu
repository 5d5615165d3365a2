template <class T> T twice(T x) { return 3 * x; }
printf("%d %d %d\n", doubled(1), uses_deduced(1), counted(1));
