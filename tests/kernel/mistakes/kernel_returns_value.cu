// says: line 1
// says: A kernel returns nothing (void)
// ----
__global__ int kr(int *a) { return a[threadIdx.x]; }
