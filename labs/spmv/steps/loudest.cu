static void check() {
    const int rows = 256;
    int *starts = step::some<int>(rows + 1, 0, 0);
    for (int r = 0; r < rows; r++) starts[r + 1] = starts[r] + (r % 7 == 3 ? 0 : step::between(40, 80));
    float *values = step::some<float>(starts[rows], -99, 99), *out = step::poisoned<float>(rows + 1);
    for (int r = 0; r < rows; r++) // the greatest is not the first one, and is negative as often as not
        if (starts[r + 1] > starts[r]) {
            values[starts[r] + 8] = -99.5f;
            values[step::between(starts[r] + 9, starts[r + 1] - 1)] = step::between(0, 1) ? 100 + r : -100 - r;
        }
    loudest<<<rows * 8 / 128, 128>>>(starts, values, out, rows);
    step::wait();
    for (int r = 0; r < rows; r++) {
        float want = 0, own = 0, got = out[r];
        for (int i = starts[r]; i < starts[r + 1]; i++) {
            want = fmaxf(want, fabsf(values[i]));
            if ((i - starts[r]) % 8 == 0) own = fmaxf(own, fabsf(values[i]));
        }
        if (got == want) continue;
        int n = starts[r + 1] - starts[r];
        const char *why = n == 0        ? step::either(" That row is empty.", "这一行是空的。")
                          : got == -77777 ? step::either(" Nobody wrote it.", "没有人写它。")
                          : got == own  ? step::either(" That is what the first lane alone has found.", "那是第一个束内线程自己找到的。")
                          : got > want  ? step::either(" That is of another row.", "那是别的行的。")
                                        : step::either(" Were all entries looked at, and all eight lanes asked?", "所有的非零元都看了吗，八个束内线程都问到了吗？");
        step::wrong(step::either("Of row %d with %d entries the greatest is %g, and out[%d] is %g.%s", "第 %1$d 行有 %2$d 个非零元，最大的是 %3$g，而 out[%4$d] 是 %5$g。%6$s"),
                    r, n, want, r, got, why);
    }
}
