__global__ void sum(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

void solve(const float *in, float *out, int n) {
    cudaMemsetAsync(out, 0, sizeof *out);
    if (n > 0)
        sum<<<(n + 255) / 256, 256>>>(in, out, n);
}
