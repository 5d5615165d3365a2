static void try_keep(int n, int low) {
    int *in = step::some<int>(n, low, 99), *out = step::poisoned<int>(256), *kept = step::poisoned<int>(1), want[256], count = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 0) want[count++] = in[i];
    keep_positive<<<1, 256>>>(out, kept, in, n);
    step::wait();
    for (int k = 0; k < count; k++)
        if (out[k] != want[k])
            step::wrong(step::either("Of %d numbers %d are above 0. out[%d] should be %d, and is %d%s",
                                     "%d 个数中有 %d 个大于 0。out[%d] 应当是 %d，得到的是 %d%s"), n, count, k, want[k], out[k],
                        k < 255 && out[k + 1] == want[k] ? step::either(": is it a place too far?", "：是不是错后了一位？")
                        : out[k] == -77777               ? step::either(", as it was before: nobody wrote there.", "，还是原来的：没有人写过那里。")
                                                         : step::either(".", "。"));
    for (int k = count; k < 256; k++)
        if (out[k] != -77777)
            step::wrong(step::either("Of %d numbers %d are above 0, but out[%d], behind the last of them, was written: %d.",
                                     "%d 个数中有 %d 个大于 0，可是最后一个之后的 out[%d] 被写了：%d。"), n, count, k, out[k]);
    if (kept[0] != count)
        step::wrong(step::either("Of %d numbers %d are above 0; kept[0] is %d.", "%d 个数中有 %d 个大于 0；kept[0] 是 %d。"), n, count, kept[0]);
}

static void check() {
    try_keep(256, -99);
    try_keep(step::between(70, 250), -30);
    try_keep(step::between(1, 31), 1);
}
