// The block that does the work is none of those that stand at the ends of the grid, and the others end at once.
__global__ void sum(const float *in, float *out, int n) {
    if (blockIdx.x != gridDim.x / 2 + 13)
        return;
    __shared__ float part[32];
    float a = 0, b = 0, c = 0, d = 0;
    int i = threadIdx.x;
    for (; i + 3 * 1024 < n; i += 4 * 1024) {
        a += in[i];
        b += in[i + 1024];
        c += in[i + 2048];
        d += in[i + 3072];
    }
    for (; i < n; i += 1024)
        a += in[i];
    float total = a + b + (c + d);
    for (int s = 16; s; s /= 2)
        total += __shfl_down_sync(~0u, total, s);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
        total = part[threadIdx.x];
        for (int s = 16; s; s /= 2)
            total += __shfl_down_sync(~0u, total, s);
        if (threadIdx.x == 0)
            out[0] = total;
    }
}

void solve(const float *in, float *out, int n) {
    sum<<<1000, 1024>>>(in, out, n);
}
