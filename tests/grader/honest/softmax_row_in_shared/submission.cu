// A block a row, which it keeps in shared memory as large as the row is.
template <typename F> __device__ float all(float x, float *s, F f) {
    s[threadIdx.x] = x;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] = f(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    float result = s[0];
    __syncthreads();
    return result;
}
struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};
__global__ void softmax(const float *in, float *out, int cols) {
    extern __shared__ float row[];
    float *s = row + cols, m = -1e38f, sum = 0;
    const float *x = in + (size_t)blockIdx.x * cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        m = fmaxf(m, row[c] = x[c]);
    m = all(m, s, Max());
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += row[c] = expf(row[c] - m);
    sum = all(sum, s, Sum());
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(size_t)blockIdx.x * cols + c] = row[c] / sum;
}
void solve(const float *in, float *out, int rows, int cols) {
    const int threads = 256;
    softmax<<<rows, threads, (cols + threads) * sizeof(float)>>>(in, out, cols);
}
