__global__ void count(const unsigned char *data, int *bins, int n) {
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, step = gridDim.x * 256;
    for (int i = blockIdx.x * 256 + threadIdx.x; i - lane < n; i += step) {
        int value = i < n ? data[i] : 256;
        unsigned same = __match_any_sync(~0u, value);
        if (value < 256 && lane == __ffs(same) - 1)
            atomicAdd(&own[value], __popc(same));
    }
    __syncthreads();
    if (own[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

void solve(const unsigned char *data, int *bins, int n) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(int));
    count<<<1056, 256>>>(data, bins, n);
}
