__device__ int abs = 4;
