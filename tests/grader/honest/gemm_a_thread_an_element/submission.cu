__global__ void matmul(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float acc = 0.f;
    for (int k = 0; k < K; ++k)
        acc = fmaf(A[i * K + k], B[k * N + j], acc);
    C[i * N + j] = alpha * acc + beta * C[i * N + j];
}
void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    dim3 t(16, 16);
    dim3 g((n + 15) / 16, (m + 15) / 16);
    matmul<<<g, t>>>(m, n, k, alpha, a, b, beta, c);
}
