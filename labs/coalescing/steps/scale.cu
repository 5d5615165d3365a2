static void check() {
    int rows = step::between(40, 90), cols = step::between(5, 12) * 32 - step::between(0, 1) * 8;
    float *m = step::some<float>((long)rows * cols), *by = step::some<float>(cols, 2, 9);
    float *before = (float *)malloc(sizeof(float) * rows * cols);
    memcpy(before, m, sizeof(float) * rows * cols);
    scale_columns<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(8, 32)>>>(m, by, rows, cols);
    step::wait();
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            if (m[r * cols + c] != before[r * cols + c] * by[c])
                step::wrong(step::either("Of %d x %d, row %d, column %d was %g and is %g; times %g it would be %g.",
                                         "%d x %d 中，第 %d 行、第 %d 列原来是 %g，现在是 %g；乘以 %g 应当是 %g。"), rows, cols, r, c,
                            before[r * cols + c], m[r * cols + c], by[c], before[r * cols + c] * by[c]);
}
