__global__ void twice(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t % 256 * ((n + 255) / 256) + t / 256;
    if (i < n)
        out[i] = in[i] + in[i];
}

void solve(const float *in, float *out, int n) {
    twice<<<(n + 255) / 256, 256>>>(in, out, n);
}
