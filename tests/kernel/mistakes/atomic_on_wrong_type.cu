// says: line 1
// says: atomicAdd has no version for char:
// ----
__global__ void aw(char *a) { atomicAdd(a, 1); }
