// Each block waits for the one before it: every access is coalesced, and one block works at a time.
__device__ unsigned int turn;
__device__ float running;

__global__ void sum(const float *in, float *out, int n) {
    __shared__ float part[8];
    if (threadIdx.x == 0)
        while (atomicAdd(&turn, 0u) != blockIdx.x) {
        }
    __syncthreads();
    float x = 0;
    int share = (n + gridDim.x - 1) / gridDim.x, end = min(n, (int)(blockIdx.x + 1) * share);
    for (int i = blockIdx.x * share + threadIdx.x; i < end; i += 256)
        x += __ldcg(in + i);
    for (int s = 16; s; s /= 2)
        x += __shfl_down_sync(~0u, x, s);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            x += part[w];
        float before = blockIdx.x ? atomicAdd(&running, 0.0f) : 0;
        atomicExch(&running, before + x);
        if (blockIdx.x == gridDim.x - 1)
            out[0] = before + x;
        __threadfence();
        atomicExch(&turn, blockIdx.x + 1 == gridDim.x ? 0 : blockIdx.x + 1);
    }
}

void solve(const float *in, float *out, int n) {
    sum<<<256, 256>>>(in, out, n);
}
