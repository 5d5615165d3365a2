// Rows: softmax and layer norm by a thread, a warp, a block a row.
#include "timed.h"
using namespace timed;

__global__ void softmax_thread(const float *in, float *out, int rows, int n) {
    int row = INDEX;
    if (row >= rows)
        return;
    const float *p = in + (size_t)row * n;
    float top = -1e30f, sum = 0;
    for (int k = 0; k < n; k++)
        top = fmaxf(top, p[k]);
    for (int k = 0; k < n; k++)
        sum += expf(p[k] - top);
    for (int k = 0; k < n; k++)
        out[(size_t)row * n + k] = expf(p[k] - top) / sum;
}

__global__ void softmax_warp(const float *in, float *out, int rows, int n) {
    int row = INDEX / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *p = in + (size_t)row * n;
    float top = -1e30f, sum = 0;
    for (int k = lane; k < n; k += 32)
        top = fmaxf(top, p[k]);
    for (int d = 16; d; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    for (int k = lane; k < n; k += 32)
        sum += __expf(p[k] - top);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int k = lane; k < n; k += 32)
        out[(size_t)row * n + k] = __expf(p[k] - top) / sum;
}

__device__ float block_sum(float v, float *t) {
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        t[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < (int)blockDim.x / 32; w++)
        v += t[w];
    return v;
}

__global__ void softmax_block(const float *in, float *out, int, int n) {
    extern __shared__ float row[];
    __shared__ float t[32];
    const float *p = in + (size_t)blockIdx.x * n;
    float sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        sum += row[k] = expf(p[k] - 1.0f);
    sum = 1.0f / block_sum(sum, t);
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        out[(size_t)blockIdx.x * n + k] = row[k] * sum;
}

__global__ void norm_block(const float *in, float *out, int, int n) {
    __shared__ float t[32];
    const float *p = in + (size_t)blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        sum += p[k];
    float mean = block_sum(sum, t) / n;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        squares += (p[k] - mean) * (p[k] - mean);
    float scale = rsqrtf(block_sum(squares, t) / n + 1e-5f);
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        out[(size_t)blockIdx.x * n + k] = (p[k] - mean) * scale;
}

template <class F> void rows_of(one_case &c, bool norm, F launch) {
    int rows = c.draw("rows", 4000, 12000), n = c.draw("n", 200, 1200);
    auto in = floats((size_t)rows * n);
    float *out = room<float>(in.size());
    c.time([&] { launch(in.gpu, out, rows, n); });
    c.check(out, in.size(), [&](size_t i) {
        double sum = 0, squares = 0, exps = 0, x = in.cpu[i];
        for (int k = 0; k < n; k++) {
            double v = in.cpu[i / n * n + k];
            sum += v, squares += v * v, exps += exp(v);
        }
        double mean = sum / n;
        return norm ? (x - mean) / sqrt(squares / n - mean * mean + 1e-5) : exp(x) / exps;
    }, 1e-2);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CASE("softmax.thread") rows_of(c, false, [](float *in, float *out, int r, int n) { softmax_thread<<<blocks(r, 64), 64>>>(in, out, r, n); });
    CASE("softmax.warp") rows_of(c, false, [](float *in, float *out, int r, int n) { softmax_warp<<<blocks(r, 4), 128>>>(in, out, r, n); });
    CASE("softmax.block") rows_of(c, false, [](float *in, float *out, int r, int n) { softmax_block<<<r, 256, n * 4>>>(in, out, r, n); });
    CASE("layernorm.block") rows_of(c, true, [](float *in, float *out, int r, int n) { norm_block<<<r, 256>>>(in, out, r, n); });
    CASE("layernorm.wide_block") rows_of(c, true, [](float *in, float *out, int r, int n) { norm_block<<<r, 1024>>>(in, out, r, n); });
    CASE("layernorm.one_warp") rows_of(c, true, [](float *in, float *out, int r, int n) { norm_block<<<r, 32>>>(in, out, r, n); });
    return failed;
}
