static void check() {
    int rows = 5 * 32 - step::between(1, 31), cols = step::between(97, 127);
    float *in = step::some<float>((long)rows * cols, 1, 9), *out = step::poisoned<float>((long)rows * cols), w[5];
    for (int k = 0; k < 5; k++) w[k] = step::between(1, 8) + 9 * k;
    cudaMemcpyToSymbol(weight, w, sizeof w);
    walk_down<<<dim3((cols + 63) / 64, (rows + 31) / 32), 64>>>(in, out, rows, cols);
    step::wait();
    for (int k = 0; k < rows; k++) // those at the edge come last
        for (int c = 0, r = (k + 4) % rows; c < cols; c++) {
            float want = 0, turned = 0, got = out[r * cols + c];
            for (int j = 0; j < 5; j++) {
                float there = r + j >= 2 && r + j - 2 < rows ? in[(r + j - 2) * cols + c] : 0;
                want += w[j] * there;
                turned += w[4 - j] * there;
            }
            if (got == want) continue;
            const char *why = got == turned             ? step::either(" The weights are the wrong way round.", "权重的次序反了。")
                              : r < 2 || r >= rows - 2  ? step::either(" What lies beyond the image is 0.", "图像之外的是 0。")
                              : r % 32 < 4              ? step::either(" The first rows of a block need those that lie above it.", "线程块的头几行需要它上面的行。")
                                                        : step::either(" Has everything moved on by one place?", "是不是全都前移了一格？");
            step::wrong(step::either("out[%d][%d] of %d x %d pixels should be %g, and is %g.%s", "%3$d x %4$d 个像素里的 out[%1$d][%2$d] 应当是 %5$g，得到的是 %6$g。%7$s"),
                        r, c, rows, cols, want, got, why);
        }
}
