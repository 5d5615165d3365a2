static void check() {
    int rows = step::between(40, 120), cols = step::between(40, 120);
    float *in = step::some<float>((long)rows * cols, -999, 999), *out = step::poisoned<float>((long)rows * cols);
    rotate<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(out, in, rows, cols);
    step::wait();
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            if (out[c * rows + rows - 1 - r] != in[r * cols + c])
                step::wrong(step::either("Of %d x %d, what is in row %d, column %d belongs into row %d, column %d; there is %g, and not %g.",
                                         "%d x %d 中，第 %d 行、第 %d 列的元素应当到第 %d 行、第 %d 列；那里是 %g，而不是 %g。"),
                            rows, cols, r, c, c, rows - 1 - r, out[c * rows + rows - 1 - r], in[r * cols + c]);
}
