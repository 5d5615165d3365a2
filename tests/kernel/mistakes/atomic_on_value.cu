// says: line 1
// says: takes the address of what it changes: atomicAdd(&x
// ----
__global__ void av(int *a) { atomicAdd(a[0], 1); }
