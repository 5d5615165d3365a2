// The first of the well-known seven: interleaved addresses, a launch for each level. Right, and slow.
__global__ void level(const float *in, float *out, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (threadIdx.x % (2 * step) == 0)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
void solve(const float *in, float *out, int n) {
    if (n == 0) {
        cudaMemsetAsync(out, 0, sizeof(float));
        return;
    }
    int blocks = (n + 255) / 256;
    float *a, *b;
    cudaMalloc(&a, blocks * sizeof(float));
    cudaMalloc(&b, blocks * sizeof(float));
    level<<<blocks, 256>>>(in, blocks == 1 ? out : a, n);
    while (blocks > 1) {
        int left = (blocks + 255) / 256;
        level<<<left, 256>>>(a, left == 1 ? out : b, blocks);
        float *swap = a;
        a = b;
        b = swap;
        blocks = left;
    }
    cudaFree(a);
    cudaFree(b);
}
