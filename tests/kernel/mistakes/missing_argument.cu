// says: line 3
// says: The call passes fewer arguments than
// ----
__global__ void ma(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
float *map_; cudaMallocManaged(&map_, 1024);
ma<<<1, 32>>>(map_);
