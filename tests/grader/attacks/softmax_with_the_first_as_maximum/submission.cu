__global__ void softmax(const float *in, float *out, int rows, int cols) {
    const float *x = in + (size_t)blockIdx.x * cols;
    float most = x[0], sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        sum += expf(x[c] - most);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int c = threadIdx.x; c < cols; c += 32)
        out[(size_t)blockIdx.x * cols + c] = expf(x[c] - most) / sum;
}

void solve(const float *in, float *out, int rows, int cols) {
    softmax<<<rows, 32>>>(in, out, rows, cols);
}
