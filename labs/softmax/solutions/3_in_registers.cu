// A block a row, and the row stays in registers: read once, one exponential an element, written once. Rows of more
// than 4096 columns do not fit and go over memory three times.
#define THREADS 256
#define KEPT 16

template <bool ADD> __device__ float of_all(float value) {
    __shared__ float warps[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(~0u, value, step);
        value = ADD ? value + other : fmaxf(value, other);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int w = 1; w < THREADS / 32; w++)
        value = ADD ? value + warps[w] : fmaxf(value, warps[w]);
    return value;
}

template <int N> __global__ void softmax_kept(const float *in, float *out, int cols) {
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols, kept[N], most = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < N; k++) {
        int c = threadIdx.x + k * THREADS;
        kept[k] = c < cols ? x[c] : -INFINITY;
        most = fmaxf(most, kept[k]);
    }
    most = of_all<false>(most);
#pragma unroll
    for (int k = 0; k < N; k++) {
        kept[k] = __expf(kept[k] - most);
        sum += kept[k];
    }
    float share = 1 / of_all<true>(sum);
#pragma unroll
    for (int k = 0; k < N; k++)
        if (threadIdx.x + k * THREADS < cols)
            y[threadIdx.x + k * THREADS] = kept[k] * share;
}

__global__ void softmax_long(const float *in, float *out, int cols) {
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols, most = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS)
        most = fmaxf(most, x[c]);
    most = of_all<false>(most);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        sum += __expf(x[c] - most);
    float share = 1 / of_all<true>(sum);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        y[c] = __expf(x[c] - most) * share;
}

void solve(const float *in, float *out, int rows, int cols) {
    if (cols <= 4 * THREADS)
        softmax_kept<4><<<rows, THREADS>>>(in, out, cols);
    else if (cols <= 8 * THREADS)
        softmax_kept<8><<<rows, THREADS>>>(in, out, cols);
    else if (cols <= KEPT * THREADS)
        softmax_kept<KEPT><<<rows, THREADS>>>(in, out, cols);
    else
        softmax_long<<<rows, THREADS>>>(in, out, cols);
}
