// A result a thread, to count beside.
__global__ void one_row(int n, const float *A, const float *B, float *C) {
    __shared__ float a[32][32], b[32][32];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        a[y][x] = A[r * n + k0 + x];
        b[y][x] = B[(k0 + y) * n + c];
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    C[r * n + c] = sum;
}

static void check() {
    int n = step::between(2, 3) * 32;
    float *A = step::some<float>((long)n * n), *B = step::some<float>((long)n * n);
    float *C = step::poisoned<float>((long)n * n), *D = step::poisoned<float>((long)n * n);
    one_row<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(n, A, B, D);
    four_rows<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(n, A, B, C);
    step::wait();
    for (int i = 0; i < n * n; i++)
        if (C[i] != D[i])
            step::wrong(step::either("Of %d x %d, row %d, column %d is %g, and should be %g.", "%d x %d 中，第 %d 行、第 %d 列是 %g，应当是 %g。"), n, n, i / n, i % n, C[i], D[i]);
}
