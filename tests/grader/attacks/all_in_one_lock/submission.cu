// All work is done while a lock is held: as many blocks as you like, and one at a time.
__device__ int lock;

__global__ void clear(float *out) {
    out[0] = 0;
}

__global__ void sum(const float *in, float *out, int n) {
    __shared__ float part[8];
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1)) {
        }
        __threadfence();
    }
    __syncthreads();
    float x = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        x += in[i];
    for (int s = 16; s; s /= 2)
        x += __shfl_down_sync(~0u, x, s);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            x += part[w];
        out[0] = __ldcg(out) + x;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

void solve(const float *in, float *out, int n) {
    clear<<<1, 1>>>(out);
    sum<<<512, 256>>>(in, out, n);
}
