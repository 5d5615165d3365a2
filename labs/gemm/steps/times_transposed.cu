static void check() {
    int m = step::between(20, 60), n = step::between(20, 60), k = step::between(5, 12) * 8;
    float *A = step::some<float>((long)m * k), *B = step::some<float>((long)n * k), *C = step::poisoned<float>((long)m * n);
    times_transposed<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(m, n, k, A, B, C);
    step::wait();
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            float sum = 0;
            for (int i = 0; i < k; i++) sum += A[r * k + i] * B[c * k + i];
            if (C[r * n + c] != sum)
                step::wrong(step::either("With m, n, k of %d, %d, %d, row %d, column %d of C is %g, and should be %g.",
                                         "m、n、k 为 %d、%d、%d 时，C 的第 %d 行、第 %d 列是 %g，应当是 %g。"), m, n, k, r, c, C[r * n + c], sum);
        }
}
