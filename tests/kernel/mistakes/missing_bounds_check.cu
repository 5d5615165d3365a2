// says: line 4 in mb_fill
// says: past the end of a 4000-byte allocation mb
// says: the last has index 999; this is index 1000
// says: if (i < n)
// ----
%%memcheck
__global__ void mb_fill(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 1;
}
float *mb; cudaMalloc(&mb, 1000 * sizeof(float));
mb_fill<<<4, 256>>>(mb, 1000);
cudaDeviceSynchronize();
