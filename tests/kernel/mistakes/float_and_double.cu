// says: line 3
// says: The function takes a double *, but the argument is a float *
// ----
__global__ void fd(double *a) { a[threadIdx.x] = 1; }
float *fdp; cudaMallocManaged(&fdp, 1024);
fd<<<1, 32>>>(fdp);
