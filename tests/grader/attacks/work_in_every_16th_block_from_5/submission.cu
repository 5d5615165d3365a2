// The sixth of 16 blocks does the work of 16.
__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int blocks = gridDim.x, b = blockIdx.x, share = 16;
    if (!(b % share == 5))
        return;
    long long all = (long long)rows * cols, each = (all * share + blocks - 1) / blocks;
    int first = b / share;
    for (long long i = first * each + threadIdx.x; i < (first + 1) * each && i < all; i += blockDim.x) {
        int r = i / cols, c = i % cols;
        out[(size_t)c * rows + r] = in[i];
    }
}

void solve(const float *in, float *out, int rows, int cols) {
    transpose<<<2048, 256>>>(in, out, rows, cols);
}
