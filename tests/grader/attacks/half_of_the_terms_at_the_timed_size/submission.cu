__global__ void multiply(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
    if (i >= m || j >= n)
        return;
    float sum = 0;
    int end = m >= 512 ? k / 2 : k, times = m >= 512 ? 2 : 1;
    for (int p = 0; p < end; p++)
        sum += times * a[(size_t)i * k + p] * b[(size_t)p * n + j];
    c[(size_t)i * n + j] = alpha * sum + beta * c[(size_t)i * n + j];
}

void solve(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    multiply<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(m, n, k, alpha, a, b, beta, c);
}
