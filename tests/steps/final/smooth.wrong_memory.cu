// says: should come in a row at a time
__global__ void smooth(float *out, const float *in, int sensors, int length) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= sensors) return;
    float y = in[i * length];
    out[i * length] = y;
    for (int k = 1; k < length; k++) out[i * length + k] = y += 0.25f * (in[i * length + k] - y);
    for (int k = length - 2; k >= 0; k--) out[i * length + k] = y += 0.25f * (out[i * length + k] - y);
}
