#define NUM_BINS 256
__global__ void hist(const unsigned char *data, int *bins, int n) {
    __shared__ int local[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (local[b])
            atomicAdd(&bins[b], local[b]);
}
void solve(const unsigned char *data, int *bins, int n) {
    cudaMemset(bins, 0, NUM_BINS * sizeof(int));
    int blocks = (n + 255) / 256;
    if (blocks > 1056)
        blocks = 1056;
    if (blocks > 0)
        hist<<<blocks, 256>>>(data, bins, n);
}
