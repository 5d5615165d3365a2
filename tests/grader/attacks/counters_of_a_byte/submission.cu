__global__ void count(const unsigned char *data, int *bins, int n) {
    __shared__ unsigned packed[64];
    if (threadIdx.x < 64)
        packed[threadIdx.x] = 0;
    __syncthreads();
    int first = blockIdx.x * 4096;
    for (int i = first + threadIdx.x; i < first + 4096 && i < n; i += 256)
        atomicAdd(&packed[data[i] / 4], 1u << 8 * (data[i] % 4));
    __syncthreads();
    int mine = packed[threadIdx.x / 4] >> 8 * (threadIdx.x % 4) & 255;
    if (mine)
        atomicAdd(&bins[threadIdx.x], mine);
}

void solve(const unsigned char *data, int *bins, int n) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(int));
    if (n > 0)
        count<<<(n + 4095) / 4096, 256>>>(data, bins, n);
}
