// A block for each sum, columns too: right, and the columns are read across.
template <bool COLUMN> __global__ void sum(const float *m, float *sums, int rows, int cols) {
    extern __shared__ float s[];
    float x = 0;
    int n = COLUMN ? rows : cols;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x += COLUMN ? m[i * cols + blockIdx.x] : m[blockIdx.x * cols + i];
    s[threadIdx.x] = x;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = s[0];
}
void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    int threads = 128;
    sum<false><<<rows, threads, threads * sizeof(float)>>>(m, row_sums, rows, cols);
    sum<true><<<cols, threads, threads * sizeof(float)>>>(m, col_sums, rows, cols);
}
