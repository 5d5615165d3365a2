// Columns in strips of 64 rows, put together by atomics.
enum { STRIP = 64 };
__global__ void sum_rows(const float *m, float *sums, int cols) {
    __shared__ float s[128];
    float x = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        x += m[blockIdx.x * cols + c];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int half = 64; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x)
        sums[blockIdx.x] = s[0];
}
__global__ void sum_cols(const float *m, float *sums, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * STRIP;
    if (c >= cols)
        return;
    float x = 0;
    for (int r = first; r < min(first + STRIP, rows); r++)
        x += m[r * cols + c];
    atomicAdd(&sums[c], x);
}
void solve(const float *m, float *row_sums, float *col_sums, int rows, int cols) {
    cudaMemsetAsync(col_sums, 0, cols * sizeof(float));
    sum_rows<<<rows, 128>>>(m, row_sums, cols);
    sum_cols<<<dim3((cols + 127) / 128, (rows + STRIP - 1) / STRIP), 128>>>(m, col_sums, rows, cols);
}
