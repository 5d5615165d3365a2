// says: line 1
// says: takes the address of the variable that it changes: atomicAdd(&x
// ----
__global__ void av(int *a) { atomicAdd(a[0], 1); }
