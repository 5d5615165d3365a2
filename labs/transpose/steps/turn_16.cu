static void check() {
    int n = step::between(3, 8) * 16;
    float *in = step::some<float>((long)n * n, -999, 999), *out = step::poisoned<float>((long)n * n);
    turn_16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(out, in, n);
    step::wait();
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            if (out[c * n + r] != in[r * n + c])
                step::wrong(step::either("Of %d x %d, row %d, column %d of the result is %g, and should be %g.",
                                         "%d x %d 的结果中，第 %d 行、第 %d 列是 %g，应当是 %g。"), n, n, c, r, out[c * n + r],
                            in[r * n + c]);
}
