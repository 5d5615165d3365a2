// Lab: the sum of an array. out[0] = in[0] + ... + in[n - 1], and 0 when n is 0.
//
// This starter compiles, but one thread alone adds only the first few numbers. README.md says what
// is asked and what is measured.

__global__ void sum(const float *in, float *out, int n) {
    float total = 0;
    for (int i = 0; i < n && i < 8; i++)
        total += in[i];
    out[0] = total;
}

void solve(const float *in, float *out, int n) {
    sum<<<1, 1>>>(in, out, n);
}
