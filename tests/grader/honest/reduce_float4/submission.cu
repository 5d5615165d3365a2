// Four at a time, the last few one by one; two launches.
__global__ void first_pass(const float4 *in, const float *rest, int n4, int n_rest, float *sums) {
    extern __shared__ float s[];
    float x = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 f = in[i];
        x += (f.x + f.y) + (f.z + f.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n_rest)
        x += rest[threadIdx.x];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w)
            s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = s[0];
}
__global__ void second_pass(const float *sums, float *out, int n) {
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x < n ? sums[threadIdx.x] : 0;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w)
            s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = s[0];
}
void solve(const float *in, float *out, int n) {
    const int threads = 256, blocks = 1024;
    float *sums;
    cudaMalloc(&sums, blocks * sizeof *sums);
    int n4 = n / 4;
    first_pass<<<blocks, threads, threads * sizeof(float)>>>((const float4 *)in, in + 4 * n4, n4, n - 4 * n4, sums);
    second_pass<<<1, blocks, blocks * sizeof(float)>>>(sums, out, blocks);
    cudaFree(sums);
}
