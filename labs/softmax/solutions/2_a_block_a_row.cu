// A block a row: lanes side by side, three passes over memory, and the largest and the sum by shuffles.
#define THREADS 256

__device__ float of_all(float value, bool add) {
    __shared__ float warps[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(~0u, value, step);
        value = add ? value + other : fmaxf(value, other);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int w = 1; w < THREADS / 32; w++)
        value = add ? value + warps[w] : fmaxf(value, warps[w]);
    return value;
}

__global__ void softmax(const float *in, float *out, int cols) {
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols, most = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS)
        most = fmaxf(most, x[c]);
    most = of_all(most, false);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        sum += expf(x[c] - most);
    sum = of_all(sum, true);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        y[c] = expf(x[c] - most) / sum;
}

void solve(const float *in, float *out, int rows, int cols) {
    softmax<<<rows, THREADS>>>(in, out, cols);
}
