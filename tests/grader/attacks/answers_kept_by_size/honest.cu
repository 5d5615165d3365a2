// Its first launch alone, which keeps nothing.
__global__ void answer(const float *in, float *out, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = rows * cols;
    if (i < n)
        out[i] = in[i % rows * cols + i / rows];
}
void solve(const float *in, float *out, int rows, int cols) {
    answer<<<(rows * cols + 255) / 256, 256>>>(in, out, rows, cols);
}
