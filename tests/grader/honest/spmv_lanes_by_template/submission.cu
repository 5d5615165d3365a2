// As many lanes a row as its mean length asks for.
template <int LANES> __global__ void spmv(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, r = t / LANES, lane = t % LANES;
    float sum = 0;
    if (r < rows)
        for (int i = starts[r] + lane, end = starts[r + 1]; i < end; i += LANES)
            sum += values[i] * x[columns[i]];
    for (int d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d, LANES);
    if (r < rows && lane == 0)
        y[r] = sum;
}
template <int LANES> static void launch(const int *s, const int *c, const float *v, const float *x, float *y, int rows) {
    long long threads = (long long)rows * LANES;
    spmv<LANES><<<(unsigned)((threads + 255) / 256), 256>>>(s, c, v, x, y, rows);
}
void solve(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols, int entries) {
    int mean = entries / rows;
    if (mean <= 4)
        launch<2>(starts, columns, values, x, y, rows);
    else if (mean <= 16)
        launch<8>(starts, columns, values, x, y, rows);
    else
        launch<32>(starts, columns, values, x, y, rows);
}
