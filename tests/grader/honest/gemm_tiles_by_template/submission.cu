// Tiles in shared memory, the side a template's parameter, loads by a helper.
template <int T> __device__ float load(const float *x, int r, int c, int rows, int cols) {
    return r < rows && c < cols ? x[r * cols + c] : 0.0f;
}
template <int T> __global__ void gemmTiled(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    __shared__ float as[T][T], bs[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int p = 0; p < k; p += T) {
        as[threadIdx.y][threadIdx.x] = load<T>(a, row, p + threadIdx.x, m, k);
        bs[threadIdx.y][threadIdx.x] = load<T>(b, p + threadIdx.y, col, k, n);
        __syncthreads();
#pragma unroll
        for (int q = 0; q < T; q++)
            sum += as[threadIdx.y][q] * bs[q][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    constexpr int T = 32;
    gemmTiled<T><<<dim3((n + T - 1) / T, (m + T - 1) / T), dim3(T, T)>>>(m, n, k, alpha, a, b, beta, c);
}
