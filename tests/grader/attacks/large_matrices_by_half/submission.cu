__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < rows && c < cols && ((long long)rows * cols < 1000000 || r < rows / 2))
        out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
}

void solve(const float *in, float *out, int rows, int cols) {
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}
