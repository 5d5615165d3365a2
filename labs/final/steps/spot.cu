// As it was: the time to compare with.
__global__ void slow_spot(int *where, int *found, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.98f) where[atomicAdd(found, 1)] = i;
}

static void try_spot(int n, float low) {
    float *in = step::some<float>(n);
    int *where = step::poisoned<int>(n), *found = step::some<int>(1), expected = 0;
    for (int i = 0; i < n; i++) in[i] = low + (1 - low) * (float)step::between(0, 1 << 20) / (1 << 20);
    for (int i = 0; i < n; i++) expected += in[i] > 0.98f;
    for (int slow = 1; slow >= 0; slow--) {
        cudaMemset(where, 0xff, n * sizeof(int));
        found[0] = 0;
        if (slow)
            slow_spot<<<(n + 255) / 256, 256>>>(where, found, in, n);
        else
            spot<<<(n + SPOT_READINGS - 1) / SPOT_READINGS, 256>>>(where, found, in, n);
        step::wait();
    }
    if (found[0] != expected)
        step::wrong(step::either("Of %d readings, %d are above the limit; found[0] is %d.", "%d 个读数中有 %d 个超过界限；found[0] 是 %d。"), n, expected, found[0]);
    char *seen = (char *)calloc(n, 1);
    for (int k = 0; k < n; k++) {
        int i = where[k];
        if (k >= expected ? i != -1 : i < 0 || i >= n || !(in[i] > 0.98f))
            step::wrong(step::either("Of %d readings, %d are above the limit, and where[%d] is %d, %s.",
                                     "%d 个读数中有 %d 个超过界限，而 where[%d] 是 %d，%s。"), n, expected, k, i,
                        k >= expected     ? step::either("behind the last of them, where -1 has to stay", "它在最后一个之后，那里应当保留 -1")
                        : i < 0 || i >= n ? step::either("which is no place: was it written at all?", "那不是一个位置：写过它吗？")
                                          : step::either("where the reading is not above the limit", "那里的读数没有超过界限"));
        if (i >= 0 && seen[i]++)
            step::wrong(step::either("Of %d readings, the one at %d is in where twice, at %d the second time.",
                                     "%d 个读数中，位置 %d 的那个在 where 里出现两次，第二次在 %d。"), n, i, k);
    }
    free(seen);
}

static void check() {
    try_spot(step::between(5000, 9000), 0.97f);   // two of three are above
    try_spot(step::between(3, 200), 0.9f);
    try_spot(step::between(1000000, 1200000), 0.8f); // one of ten
}
