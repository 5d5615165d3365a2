static void check() {
    int n = 15 * 128 + step::between(1, 127);
    float *in = step::some<float>(n, 1, 9), *w = step::some<float>(7, 1, 9), *out = step::poisoned<float>(n);
    smooth_row<<<(n + 127) / 128, 128>>>(in, w, out, n);
    step::wait();
    for (int i = 0; i < n; i++) {
        float want = 0, inside = 0;
        for (int j = 0; j < 7; j++) {
            want += i + j >= 3 && i + j - 3 < n ? w[j] * in[i + j - 3] : 0;
            inside += i % 128 + j >= 3 && i % 128 + j - 3 < 128 && i + j - 3 < n ? w[j] * in[i + j - 3] : 0;
        }
        if (out[i] == want) continue;
        int k = i % 128;
        const char *why = out[i] == inside        ? step::either(" Its neighbours in the next block are missing.", "它在相邻线程块里的邻居没有算进去。")
                          : i < 3 || i >= n - 3   ? step::either(" What lies beyond the row is 0.", "行之外的是 0。")
                          : k < 3 || k >= 125     ? step::either(" It needs the halo of its block.", "它需要线程块的边环。")
                                                  : "";
        step::wrong(step::either("out[%d] of %d numbers should be %g, and is %g; it is number %d of its block.%s",
                                 "%2$d 个数里的 out[%1$d] 应当是 %3$g，得到的是 %4$g；它是线程块里的第 %5$d 个。%6$s"),
                    i, n, want, out[i], k, why);
    }
}
