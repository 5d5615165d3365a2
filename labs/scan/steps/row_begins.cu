static void check() {
    int n = step::between(20, 90) * 32 + step::between(1, 31), sum = 0;
    int *lengths = step::some<int>(n, 1, 40), *out = step::poisoned<int>(n + 1);
    row_begins<<<1, 32>>>(out, lengths, n);
    step::wait();
    for (int i = 0; i <= n; sum += i < n ? lengths[i] : 0, i++)
        if (out[i] != sum)
            step::wrong(step::either("Row %d of %d begins at %d; out[%d] is %d.%s", "%2$d 行中的第 %1$d 行从 %3$d 开始；out[%4$d] 是 %5$d。%6$s"), i, n, sum, i,
                        out[i],
                        i < n && out[i] == sum + lengths[i] ? step::either(" Is the row's own length in it?", "是不是把它自己的长度也算进去了？")
                        : i >= 32 && i < 64                 ? step::either(" The first 32 are right: what is carried on?", "前 32 个是对的：带下去的是什么？")
                        : i < 32                            ? step::either(" Which lanes have a lane so far below?", "哪些束内线程下面有那么远的？")
                                                            : "");
}
