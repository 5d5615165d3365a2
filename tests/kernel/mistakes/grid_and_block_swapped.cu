// says: kernel gs
// says: line 3
// says: Are the two swapped?
// ----
__global__ void gs(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
int gsn = 1 << 20; float *gsp; cudaMallocManaged(&gsp, gsn * sizeof(float));
gs<<<256, (gsn + 255) / 256>>>(gsp, gsn);
cudaDeviceSynchronize();
