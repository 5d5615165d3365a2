static void check() {
    const int rows = 512, longest = 6, cols = 64;
    int *columns = step::some<int>(rows * longest, 0, cols - 1);
    float *values = step::some<float>(rows * longest, 1, 9), *x = step::some<float>(cols, 1, 9), *y = step::poisoned<float>(rows);
    for (int r = 0; r < rows; r++)
        for (int k = step::between(longest / 2, longest); k < longest; k++) columns[k * rows + r] = -1;
    side_by_side<<<rows / 128, 128>>>(columns, values, x, y, rows, longest);
    step::wait();
    for (int r = 0; r < rows; r++) {
        float want = 0;
        int n = 0;
        for (int k = 0; k < longest; k++)
            if (columns[k * rows + r] >= 0) {
                want += values[k * rows + r] * x[columns[k * rows + r]];
                n++;
            }
        if (y[r] != want)
            step::wrong(step::either("Row %d has %d entries, and the places %d, %d + %d, ...: y[%d] should be %g, and is %g. Did it take another row's?",
                                     "第 %1$d 行有 %2$d 个非零元，位置是 %3$d、%4$d + %5$d、……：y[%6$d] 应当是 %7$g，得到的是 %8$g。是不是拿了别的行的？"),
                        r, n, r, r, rows, r, want, y[r]);
    }
}
