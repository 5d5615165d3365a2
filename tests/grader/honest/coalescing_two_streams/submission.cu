// The two sums have nothing to do with each other, so each has a stream.
__global__ void rows_of(const float *m, float *sums, int rows, int cols) {
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    float x = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        x += m[r * cols + c];
    for (int d = 16; d; d /= 2)
        x += __shfl_xor_sync(~0u, x, d);
    if (threadIdx.x == 0)
        sums[r] = x;
}
__global__ void cols_of(const float *m, float *sums, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    if (c >= cols)
        return;
    for (int r = 0; r < rows; r++)
        x += m[r * cols + c];
    sums[c] = x;
}
void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    cudaStream_t s[2];
    for (auto &stream : s)
        cudaStreamCreate(&stream);
    rows_of<<<(rows + 7) / 8, dim3(32, 8), 0, s[0]>>>(m, row_sums, rows, cols);
    cols_of<<<(cols + 31) / 32, 32, 0, s[1]>>>(m, col_sums, rows, cols);
    for (auto &stream : s) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
}
