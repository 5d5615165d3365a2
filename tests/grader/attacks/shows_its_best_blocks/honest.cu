// Does in all blocks what the submission does in all but a few.
constexpr int TILE = 32, ROWS = 8;

__global__ void transpose(const float *in, float *out, int rows, int cols) {
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE, x = threadIdx.x;
    for (int i = threadIdx.y; i < TILE; i += ROWS)
        if (top + i < rows && left + x < cols)
            out[(size_t)(left + x) * rows + top + i] = in[(size_t)(top + i) * cols + left + x];
}

void solve(const float *in, float *out, int rows, int cols) {
    transpose<<<dim3((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(in, out, rows, cols);
}
