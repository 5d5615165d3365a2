// The slow kernel, for comparing results and times.
__global__ void slow_seal(unsigned *out, const unsigned *in, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    unsigned x = in[i];
    if (i % 16 == 0)
        for (int round = 0; round < 128; round++) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 13;
        }
    out[i] = x;
}

static void try_seal(int m) {
    unsigned *in = step::some<unsigned>(m), *out = step::poisoned<unsigned>(m), *expected = step::poisoned<unsigned>(m);
    for (int i = 0; i < m; i++) in[i] = step::draw();
    slow_seal<<<(m + 255) / 256, 256>>>(expected, in, m);
    seal<<<(m + SEAL_WORDS - 1) / SEAL_WORDS, 256>>>(out, in, m);
    step::wait();
    for (int i = 0; i < m; i++)
        if (out[i] != expected[i])
            step::wrong(step::either("Of %d words, word %d, which is %s, should be %u; the answer is %u%s.",
                                     "%d 个字中，第 %d 个字（%s）应当是 %u；得到的是 %u%s。"), m, i,
                        i % 16 ? step::either("not to be sealed", "不封") : step::either("to be sealed", "要封"), expected[i], out[i],
                        out[i] == in[i]                ? step::either(", the word as it came", "，即原来的字")
                        : out[i] == (unsigned)-77777 ? step::either(": nobody wrote it", "：没有线程写过它") : "");
}

static void check() {
    try_seal(step::between(20, 40));
    try_seal(step::between(5000, 9000));
    try_seal(step::between(1200000, 1400000));
}
