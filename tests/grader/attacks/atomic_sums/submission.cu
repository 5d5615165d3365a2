__global__ void sums(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= cols)
        return;
    float x = m[(size_t)r * cols + c];
    atomicAdd(&row_sums[r], x);
    atomicAdd(&col_sums[c], x);
}

void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    cudaMemsetAsync(row_sums, 0, rows * sizeof(float));
    cudaMemsetAsync(col_sums, 0, cols * sizeof(float));
    sums<<<dim3((cols + 255) / 256, rows), 256>>>(m, row_sums, col_sums, rows, cols);
}
