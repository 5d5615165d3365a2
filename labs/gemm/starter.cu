// Lab: C = alpha A B + beta C.
//
//   a  m x k, b  k x n, c  m x n, all row-major.
//
// This starter compiles, but leaves the sum of the products out. README.md says what is asked and
// what is measured.

__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                     float *c) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n)
        c[row * n + col] = beta * c[row * n + col];
}

void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    dim3 block(32, 8);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    gemm<<<grid, block>>>(m, n, k, alpha, a, b, beta, c);
}
