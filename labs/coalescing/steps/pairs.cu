static void check() {
    int n = step::between(20000, 40000);
    float *a = step::some<float>(n), *before = (float *)malloc(n * sizeof(float));
    memcpy(before, a, n * sizeof(float));
    add_pairs<<<(n + 511) / 512, 256>>>(a, n);
    step::wait();
    for (int i = 0; i < n; i++)
        if (a[i] != before[i] + 1)
            step::wrong("Of %d elements, a[%d] was raised by %g, not by 1: %s.", n, i, a[i] - before[i],
                        a[i] == before[i] ? "nobody took it" : "more than one thread took it");
}
