// says: line 3 in io
// says: too large for its type?
// ----
__global__ void io(char *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 65536 < n) a[i * 65536] = 1;
}
char *iop; cudaMalloc(&iop, 1 << 20);
io<<<160, 256>>>(iop, 1 << 20);
cudaDeviceSynchronize();
