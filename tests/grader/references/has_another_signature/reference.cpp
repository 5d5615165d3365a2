void reference(const double *in, float *out) {
    out[0] = (float)in[0];
}
