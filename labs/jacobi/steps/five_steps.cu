static void check() {
    int n = step::between(4, 7) * 118 + step::between(20, 100);
    float *from = step::some<float>(n, -64, 64), *to = step::poisoned<float>(n), *now = (float *)malloc(n * sizeof(float)), *next = (float *)malloc(n * sizeof(float));
    float *last = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) now[i] = next[i] = from[i];
    for (int s = 0; s < 5; s++) {
        for (int i = 1; i < n - 1; i++) next[i] = (now[i - 1] + now[i + 1]) / 2;
        memcpy(last, now, n * sizeof(float));
        memcpy(now, next, n * sizeof(float));
    }
    five_steps<<<(n + 117) / 118, 128>>>(from, to, n);
    step::wait();
    for (int i = 0; i < n; i++) {
        if (to[i] == now[i]) continue;
        const char *why = to[i] == -77777 ? step::either(" Nobody wrote it.", "没有人写它。")
                          : to[i] == last[i] ? step::either(" That is the fourth step: which buffer has the fifth?", "那是第四步的值：第五步在哪个缓冲区？")
                                             : step::either(" After five steps, which threads of a tile are still right?", "五步之后，分块里哪些线程的点还是对的？");
        step::wrong(step::either("After five steps, point %d of %d should be %g, and is %g.%s",
                                 "五步之后，%2$d 个点里的第 %1$d 个应当是 %3$g，得到的是 %4$g。%5$s"),
                    i, n, now[i], to[i], why);
    }
}
