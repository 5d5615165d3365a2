// left it has device code
__host__ __device__ float twice(float x) { return 2 * x; }
