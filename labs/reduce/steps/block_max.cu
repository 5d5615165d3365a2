static void check() {
    int n = step::between(3000, 9000), blocks = (n + 127) / 128;
    float *in = step::some<float>(n, -9999, -1), *out = step::poisoned<float>(blocks); // all of them below zero
    block_max<<<blocks, 128>>>(out, in, n);
    step::wait();
    for (int b = 0; b < blocks; b++) {
        float most = in[b * 128];
        for (int i = b * 128; i < (b + 1) * 128 && i < n; i++) most = in[i] > most ? in[i] : most;
        if (out[b] != most)
            step::wrong(step::either("Of %d numbers below zero, the largest of block %d of %d is %g; the answer is %g.%s",
                                     "%1$d 个小于零的数中，%3$d 个线程块的第 %2$d 个里最大的是 %4$g；得到的是 %5$g。%6$s"), n, b, blocks, most, out[b],
                        out[b] == 0 ? step::either(" There is no 0 among the numbers: where does it come from?", "这些数里没有 0：它从哪里来？") : "");
    }
}
