__global__ void softmax(const float *in, float *out, int rows, int cols) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int r = warp; r < rows; r += warps) {
        const float *x = in + (size_t)r * cols;
        float m = -INFINITY, s = 0;
        for (int c = lane; c < cols; c += 32)
            m = fmaxf(m, x[c]);
        for (int d = 16; d; d >>= 1)
            m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
        for (int c = lane; c < cols; c += 32)
            s += expf(x[c] - m);
        for (int d = 16; d; d >>= 1)
            s += __shfl_xor_sync(0xffffffff, s, d);
        for (int c = lane; c < cols; c += 32)
            out[(size_t)r * cols + c] = expf(x[c] - m) / s;
    }
}
void solve(const float *in, float *out, int rows, int cols) {
    softmax<<<(rows + 7) / 8, 256>>>(in, out, rows, cols);
}
