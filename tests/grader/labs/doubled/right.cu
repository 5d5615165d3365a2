__global__ void twice(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + in[i];
}

void solve(const float *in, float *out, int n) {
    twice<<<(n + 255) / 256, 256>>>(in, out, n);
}
