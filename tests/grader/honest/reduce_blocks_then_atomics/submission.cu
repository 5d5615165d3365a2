#define BLOCK 256
__device__ float warpSum(float x) {
    for (int offset = warpSize / 2; offset > 0; offset >>= 1)
        x += __shfl_down_sync(0xffffffff, x, offset);
    return x;
}
__global__ void sumKernel(const float *in, float *out, int n) {
    __shared__ float warps[BLOCK / 32];
    float x = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x)
        x += in[i];
    x = warpSum(x);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : 0.0f;
        x = warpSum(x);
        if (threadIdx.x == 0)
            atomicAdd(out, x);
    }
}
void solve(const float *in, float *out, int n) {
    cudaMemset(out, 0, sizeof(float));
    sumKernel<<<1024, BLOCK>>>(in, out, n);
    cudaDeviceSynchronize();
}
