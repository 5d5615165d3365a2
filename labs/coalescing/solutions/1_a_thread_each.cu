// A thread for each row and a thread for each column. The column kernel is coalesced; in the row
// kernel neighbouring threads read addresses `cols` elements apart.
__global__ void sum_rows(const float *m, float *sums, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < cols; c++)
        sum += m[r * cols + c];
    sums[r] = sum;
}

__global__ void sum_cols(const float *m, float *sums, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += m[r * cols + c];
    sums[c] = sum;
}

void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    sum_rows<<<(rows + 127) / 128, 128>>>(m, row_sums, rows, cols);
    sum_cols<<<(cols + 127) / 128, 128>>>(m, col_sums, rows, cols);
}
