// A comment with max(a, b) and i < n: nothing in it is changed. Nor is the message below.
__global__ void peaks(const float *in, float *out, int length) {
    __shared__ float most[64];
    const float *row = in + (size_t)blockIdx.x * length;
    float mine = row[0];
    for (int c = threadIdx.x; c < length; c += 64)
        mine = fmaxf(mine, row[c]);
    most[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 64; t++)
            mine = fmaxf(mine, most[t]);
        out[blockIdx.x] = mine;
    }
}

void solve(const float *in, float *out, int rows, int cols) {
    const char *said = "rows < cols && rows + cols";
    if (said)
        peaks<<<rows, 64>>>(in, out, cols);
}
