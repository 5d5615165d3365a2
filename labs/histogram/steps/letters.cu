static void check() {
    const int blocks = 24;
    int n = step::between(9000, 20000);
    char *text = step::some<char>(n, 33, 126);
    int *bins = step::some<int>(26, 0, 99), want[26];
    for (int i = 0; i < n; i++)
        if (step::between(0, 3) == 0) text[i] = ' ';
    for (int k = 0; k < 26; k++) want[k] = bins[k];
    for (int i = 0; i < n; i++) {
        int c = text[i] | 32;
        if (c >= 'a' && c <= 'z') want[c - 'a']++;
    }
    int before[26];
    for (int k = 0; k < 26; k++) before[k] = bins[k];
    letters<<<blocks, 128>>>(bins, text, n);
    step::wait();
    for (int k = 0; k < 26; k++) {
        if (bins[k] == want[k]) continue;
        const char *why = bins[k] == want[k] - before[k] ? step::either(" Is it added to what was there?", "是加在原来的上面吗？")
                          : bins[k] < want[k] && bins[k] >= 0 ? step::either(" Counts are lost: who else adds there at the same time?", "丢了计数：还有谁同时在那里加？")
                                                              : "";
        step::wrong(step::either("bins[%d] held %d, and of %d characters %d are '%c': it should be %d, and is %d.%s",
                                 "bins[%1$d] 原来是 %2$d，%3$d 个字符里有 %4$d 个 '%5$c'：应当是 %6$d，得到的是 %7$d。%8$s"),
                    k, before[k], n, want[k] - before[k], 'a' + k, want[k], bins[k], why);
    }
}
