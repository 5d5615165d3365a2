static void check() {
    const int places = 100000;
    int n = 256 * 32 - step::between(1, 31);
    int *bins = step::some<int>(places, 0, 0), *want = (int *)calloc(places, sizeof(int)), *keys = step::some<int>(n, 0, 0);
    for (int first = 0; first < n; first += 32) {
        int of_warp[4];
        for (int k = 0; k < 4; k++) of_warp[k] = step::between(0, places - 1);
        for (int i = first; i < first + 32 && i < n; i++) want[keys[i] = of_warp[step::between(0, 3)]]++;
    }
    tally<<<64, 128>>>(bins, keys, n);
    step::wait();
    for (int k = 0; k < places; k++)
        if (bins[k] != want[k])
            step::wrong(step::either("Key %d occurs %d times among %d; bins[%d] is %d.%s", "键 %1$d 在 %3$d 个里出现 %2$d 次；bins[%4$d] 是 %5$d。%6$s"),
                        k, want[k], n, k, bins[k],
                        bins[k] == want[k] * want[k] ? step::either(" Each of them added for all: which one alone should?", "每一个都替大家加了：应当只由哪一个加？")
                        : bins[k] == 1 && want[k] > 1 ? step::either(" One added, but only for itself.", "有一个加了，但只替自己加。")
                        : bins[k] > want[k]           ? step::either(" Were lanes with other keys counted, too?", "是不是把别的键的束内线程也数进去了？")
                                                      : step::either(" Nobody added for some of them.", "有的没有人替它们加。"));
    free(want);
}
