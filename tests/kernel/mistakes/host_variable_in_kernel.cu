// says: line 1
// says: hv_n is a variable of the host
// says: pass it to the kernel as an argument
// ----
int hv_n = 100;
// ---- next cell
__global__ void hv(int *a) { if (threadIdx.x < hv_n) a[threadIdx.x] = 1; }
int *hvp; cudaMallocManaged(&hvp, 1024);
hv<<<1, 64>>>(hvp);
cudaDeviceSynchronize();
