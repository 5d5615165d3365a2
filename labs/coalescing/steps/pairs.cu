static void check() {
    int n = step::between(20000, 40000);
    float *a = step::some<float>(n), *before = (float *)malloc(n * sizeof(float));
    memcpy(before, a, n * sizeof(float));
    add_pairs<<<(n + 511) / 512, 256>>>(a, n);
    step::wait();
    for (int i = 0; i < n; i++)
        if (a[i] != before[i] + 1)
            step::wrong(step::either("Of %d elements, a[%d] was raised by %g, not by 1: %s.", "%d 个元素中，a[%d] 增加了 %g，而不是 1：%s。"), n, i,
                        a[i] - before[i], a[i] == before[i] ? step::either("nobody took it", "没有线程拿它")
                                                            : step::either("more than one thread took it", "不止一个线程拿了它"));
}
