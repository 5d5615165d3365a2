// The same with the fences that make it right.
__device__ unsigned int arrived;
__device__ float part[1024];

__global__ void sum(const float *in, float *out, int n) {
    __shared__ float s[256];
    __shared__ bool last;
    float x = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x += in[i];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        x = 0;
        for (int b = 0; b < gridDim.x; b++)
            x += __ldcg(part + b);
        *out = x;
    }
}
void solve(const float *in, float *out, int n) {
    int blocks = n / 1024 + 1;
    sum<<<blocks < 256 ? blocks : 256, 256>>>(in, out, n);
}
