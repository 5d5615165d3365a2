// One element of C a thread, neighbouring threads on neighbouring columns.
__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + (beta == 0 ? 0 : beta * c[row * n + col]);
}

void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    dim3 block(32, 8);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    gemm<<<grid, block>>>(m, n, k, alpha, a, b, beta, c);
}
