static void check() {
    int n = step::between(2000, 5000);
    float *a = step::some<float>(n), *b = step::some<float>(n), *out = step::poisoned<float>(32), sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    warp_dot<<<1, 32>>>(out, a, b, n);
    step::wait();
    for (int lane = 0; lane < 32; lane++)
        if (out[lane] != sum)
            step::wrong(step::either("The product of two vectors of %d numbers is %g; lane %d has %g.%s",
                                     "两个 %d 维向量的点积是 %g；第 %d 个束内线程得到的是 %g。%s"), n, sum, lane, out[lane],
                        lane > 0 && out[0] == sum ? step::either(" Lane 0 has the sum: does it come back to the others?",
                                                                 "第 0 个束内线程有总和：它回到其他线程那里了吗？") : "");
}
