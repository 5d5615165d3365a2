long doubled(int x) { return 2 * x; }
__device__ int f(int x) { return x; }
printf("%ld %d\n", doubled(4), use());
