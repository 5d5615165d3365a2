// Honest work: blocks leave their parts behind, and the last one to finish adds them up. Nobody waits.
__device__ unsigned int arrived;
__device__ float part[2048];

__device__ float of_block(float x) {
    __shared__ float warps[16];
    for (int s = 16; s; s /= 2)
        x += __shfl_down_sync(~0u, x, s);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x < 16 ? warps[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int s = 8; s; s /= 2)
            x += __shfl_down_sync(~0u, x, s);
    return x;
}

__global__ void sum(const float *__restrict__ in, float *out, int n) {
    __shared__ bool last;
    const float4 *quads = reinterpret_cast<const float4 *>(in);
    float a = 0, b = 0, c = 0, d = 0;
    int step = gridDim.x * 512, at = blockIdx.x * 512 + threadIdx.x, n4 = n / 4, i = at;
#pragma unroll 4
    for (; i < n4; i += step) {
        float4 v = quads[i];
        a += v.x;
        b += v.y;
        c += v.z;
        d += v.w;
    }
    if (4 * n4 + at < n)
        a += in[4 * n4 + at];
    float x = of_block(a + b + (c + d));
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        x = 0;
        for (int k = threadIdx.x; k < gridDim.x; k += 512)
            x += __ldcg(part + k);
        x = of_block(x);
        if (threadIdx.x == 0)
            out[0] = x;
    }
}

void solve(const float *in, float *out, int n) {
    int blocks = (n / 16 + 511) / 512;
    sum<<<blocks < 1 ? 1 : blocks > 1056 ? 1056 : blocks, 512>>>(in, out, n);
}
