// says: line 1
// says: A kernel returns void
// ----
__global__ int kr(int *a) { return a[threadIdx.x]; }
