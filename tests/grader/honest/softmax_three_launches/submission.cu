// Maxima, sums and quotients in a launch each, with arrays of their own between. Right, and the rows are read three times.
__global__ void maxima(const float *in, float *m, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float x = in[r * cols];
    for (int c = 1; c < cols; c++)
        x = max(x, in[r * cols + c]);
    m[r] = x;
}
__global__ void sums(const float *in, const float *m, float *s, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float x = 0;
    for (int c = 0; c < cols; c++)
        x += expf(in[r * cols + c] - m[r]);
    s[r] = x;
}
__global__ void quotients(const float *in, const float *m, const float *s, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols)
        out[r * cols + c] = expf(in[r * cols + c] - m[r]) / s[r];
}
void solve(const float *in, float *out, int rows, int cols) {
    float *m, *s;
    cudaMalloc(&m, rows * sizeof(float));
    cudaMalloc(&s, rows * sizeof(float));
    maxima<<<(rows + 63) / 64, 64>>>(in, m, rows, cols);
    sums<<<(rows + 63) / 64, 64>>>(in, m, s, rows, cols);
    quotients<<<dim3((cols + 127) / 128, rows), 128>>>(in, m, s, out, rows, cols);
    cudaFree(m);
    cudaFree(s);
}
