// Reads only the first 64 entries of each row at the timed size.
__global__ void multiply(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = starts[r]; i < starts[r + 1] && (rows < 20000 || i < starts[r] + 64); i++)
        sum += values[i] * x[columns[i]];
    y[r] = sum;
}

void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols,
           int entries) {
    multiply<<<(rows + 127) / 128, 128>>>(starts, columns, values, x, y, rows);
}
