int twice(int x) { return 2 * x; }
__device__ int dev(int x) { return x; }
int number = 3;
