// says: kernel nb
// says: line 3
// says: (n + 255) / 256
// ----
__global__ void nb(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
int nbn = 100; float *nbp; cudaMallocManaged(&nbp, nbn * sizeof(float));
nb<<<nbn / 256, 256>>>(nbp, nbn);
cudaDeviceSynchronize();
