// ptxas would not compile this for a GPU: more static shared memory than there is.
#define TILE 128
__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += 32) {
        as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && col < n ? b[(t + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int p = 0; p < 32; p++)
            sum += as[threadIdx.y][p] * bs[p][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    gemm<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32)>>>(m, n, k, alpha, a, b, beta, c);
}
