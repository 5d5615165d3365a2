static void try_log(int rows, int cols, float low) {
    float *in = step::some<float>(rows * cols), *out = step::poisoned<float>(rows);
    for (int i = 0; i < rows * cols; i++) in[i] = low + step::between(0, 2000) / 100.0f;
    log_sum<<<(rows + 3) / 4, 128>>>(out, in, rows, cols);
    step::wait();
    for (int r = 0; r < rows; r++) {
        double most = in[r * cols], sum = 0, log;
        for (int c = 0; c < cols; c++) most = in[r * cols + c] > most ? in[r * cols + c] : most;
        for (int c = 0; c < cols; c++) sum += exp(in[r * cols + c] - most);
        log = most + ::log(sum);
        if (!(fabs(out[r] - log) < 1e-4 * fabs(log)))
            step::wrong(step::either("%d numbers of %g to %g: the logarithm of row %d's sum is %g; the answer is %g.%s",
                                     "%d 个从 %g 到 %g 的数：第 %d 行之和的对数是 %g；得到的是 %g。%s"), cols, low, low + 20, r, log, out[r],
                        isinf(out[r])                     ? step::either(" Where does infinity come from?", "无穷大从哪里来？")
                        : fabs(out[r] - ::log(sum)) < 1e-2 ? step::either(" What was subtracted has to come back.", "减掉的要加回来。")
                                                          : "");
    }
}

static void check() {
    try_log(step::between(9, 30), step::between(60, 300), 90);
    try_log(step::between(9, 30), step::between(60, 300), -210);
}
