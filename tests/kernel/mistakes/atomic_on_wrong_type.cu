// says: line 1
// says: atomicAdd does not know char *
// ----
__global__ void aw(char *a) { atomicAdd(a, 1); }
