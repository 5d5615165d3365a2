// Each row gets as many lanes as rows have entries on average, up to a warp. They read its entries side by side.
template <int LANES>
__global__ void multiply(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, r = t / LANES;
    float sum = 0;
    if (r < rows)
        for (int i = starts[r] + t % LANES, end = starts[r + 1]; i < end; i += LANES)
            sum += values[i] * x[columns[i]];
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step, LANES);
    if (r < rows && t % LANES == 0)
        y[r] = sum;
}

template <int LANES>
static void launch(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    multiply<LANES><<<(rows * LANES + 255) / 256, 256>>>(starts, columns, values, x, y, rows);
}

void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols,
           int entries) {
    int mean = entries / rows;
    if (mean >= 128)
        launch<32>(starts, columns, values, x, y, rows);
    else if (mean >= 16)
        launch<16>(starts, columns, values, x, y, rows);
    else
        launch<4>(starts, columns, values, x, y, rows);
}
