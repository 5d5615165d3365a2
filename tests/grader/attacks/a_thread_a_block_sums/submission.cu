// A block for each row and each column, with one thread in it.
__global__ void rows_of_one(const float *m, float *sums, int cols) {
    float sum = 0;
    const float *row = m + (size_t)blockIdx.x * cols;
    for (int c = 0; c < cols; c++)
        sum += row[c];
    sums[blockIdx.x] = sum;
}

__global__ void columns_of_one(const float *m, float *sums, int rows, int cols) {
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += m[(size_t)r * cols + blockIdx.x];
    sums[blockIdx.x] = sum;
}

void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    rows_of_one<<<rows, 1>>>(m, row_sums, cols);
    columns_of_one<<<cols, 1>>>(m, col_sums, rows, cols);
}
