static void try_pass(int cols, int low, int high) {
    float *in = step::some<float>(cols), *out = step::poisoned<float>(2), most = -1e30f;
    for (int c = 0; c < cols; c++) in[c] = step::between(low * 100, high * 100) / 100.0f;
    for (int c = 0; c < cols; c++) most = in[c] > most ? in[c] : most;
    double sum = 0;
    for (int c = 0; c < cols; c++) sum += exp((double)in[c] - most);
    one_pass<<<1, 32>>>(out, in, cols);
    step::wait();
    if (out[0] != most)
        step::wrong(step::either("Of %d numbers of %d to %d the largest is %g; out[0] is %g.%s", "%d 个从 %d 到 %d 的数里最大的是 %g；out[0] 是 %g。%s"), cols, low, high, most,
                    out[0], out[0] == 0 ? step::either(" There is no 0 among them.", "里面没有 0。") : "");
    if (!(fabs(out[1] - sum) < 1e-4 * sum))
        step::wrong(step::either("%d numbers of %d to %d, and the largest is %g: the sum should be %g; out[1] is %g.%s",
                                 "%d 个从 %d 到 %d 的数，最大的是 %g：和应当是 %g；out[1] 是 %g。%s"), cols, low, high, most, sum, out[1],
                    isnan(out[1]) && cols < 32 ? step::either(" What do lanes compute that have seen nothing?", "什么也没见到的束内线程算了什么？")
                    : out[1] > sum             ? step::either(" Are all sums counted from the same largest?", "所有的和都从同一个最大值算起吗？")
                                               : "");
}

static void check() {
    try_pass(step::between(1, 9), -20, -1);
    try_pass(step::between(1700, 2000), 60, 120);
}
