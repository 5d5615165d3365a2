// says: line 3
// says: The value has the type float *, but double * is needed: declare both with the same type
// ----
__global__ void fd(double *a) { a[threadIdx.x] = 1; }
float *fdp; cudaMallocManaged(&fdp, 1024);
fd<<<1, 32>>>(fdp);
