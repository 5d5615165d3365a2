// says: line 1 in uf
// says: allocation ufp that has been freed: cudaFree() comes behind the last use
// ----
__global__ void uf(float *a) { a[threadIdx.x] = 1; }
float *ufp; cudaMalloc(&ufp, 1024);
cudaFree(ufp);
uf<<<1, 32>>>(ufp);
cudaDeviceSynchronize();
