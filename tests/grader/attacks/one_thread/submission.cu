__global__ void sum(const float *in, float *out, int n) {
    double total = 0;
    for (int i = 0; i < n; i++)
        total += in[i];
    out[0] = total;
}

void solve(const float *in, float *out, int n) {
    sum<<<1, 1>>>(in, out, n);
}
