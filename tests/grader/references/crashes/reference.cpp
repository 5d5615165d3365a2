void reference(const float *in, float *out, int n) {
    int *nowhere = 0;
    *nowhere = n;
    out[0] = in[0];
}
