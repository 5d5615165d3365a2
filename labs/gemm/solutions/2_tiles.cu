// Tiles of A and B in shared memory: every element read serves 32 results.
constexpr int TILE = 32;

__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        int x = t + threadIdx.x, y = t + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
        tb[threadIdx.y][threadIdx.x] = y < k && col < n ? b[y * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = alpha * sum + (beta == 0 ? 0 : beta * c[row * n + col]);
}

void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    gemm<<<grid, dim3(TILE, TILE)>>>(m, n, k, alpha, a, b, beta, c);
}
