static void check() {
    const int tries[] = {step::between(2, 9), 0, 1, step::between(10, 15)};
    for (int steps : tries) {
        int n = step::between(130, 250);
        float *u = step::some<float>(256, -64, 64), now[256], next[256], before[256], own[256];
        for (int i = 0; i < 256; i++) before[i] = now[i] = next[i] = own[i] = u[i];
        for (int s = 0; s < steps; s++) {
            for (int i = 1; i < n - 1; i++) next[i] = (now[i - 1] + 2 * now[i] + now[i + 1]) / 4;
            memcpy(own, now, sizeof now);
            memcpy(now, next, sizeof now);
        }
        rod<<<1, 256>>>(u, n, steps);
        step::wait();
        for (int k = 0; k < 256; k++) {
            int i = (k + n - 1) % 256; // the end first: what goes wrong there spreads
            if (fabsf(u[i] - now[i]) <= 1e-4f) continue;
            const char *why = i >= n                             ? step::either(" The rod ends before that.", "杆在它之前就结束了。")
                              : i == 0 || i == n - 1             ? step::either(" The ends stay.", "两端不变。")
                              : fabsf(u[i] - own[i]) <= 1e-4f    ? step::either(" That is one step earlier: which buffer holds the last one?", "那是早一步的值：最后一步在哪个缓冲区？")
                              : u[i] == before[i]                ? step::either(" It is what it was at the start.", "它还是开始时的值。")
                                                                 : step::either(" Did it see neighbours as they were before the step?", "它看到的是邻居这一步之前的值吗？");
            step::wrong(step::either("After %d steps, point %d of %d should be %g, and is %g.%s", "%1$d 步之后，%3$d 个点里的第 %2$d 个应当是 %4$g，得到的是 %5$g。%6$s"),
                        steps, i, n, now[i], u[i], why);
        }
    }
}
