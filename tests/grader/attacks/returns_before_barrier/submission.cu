// Honest, and wrong: threads beyond the end return, and others need what they should have stored.
__global__ void sum(const float *in, float *out, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = in[i];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}
void solve(const float *in, float *out, int n) {
    cudaMemsetAsync(out, 0, 4);
    if (n)
        sum<<<(n + 255) / 256, 256>>>(in, out, n);
}
