void reference(const float *in, float *out, int n) {
    for (volatile int i = 0; i < 1; i = 0)
        out[0] = in[0] + n;
}
