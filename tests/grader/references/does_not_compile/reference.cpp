void reference(const float *in, float *out, int n) {
    undeclared = n;
    out[0] = in[0];
}
