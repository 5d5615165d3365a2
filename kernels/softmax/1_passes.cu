/* Softmax of rows, one thread per row.
 *
 * The idea: the definition, and how not to compute it. out = exp(x) / sum of exp(x) overflows at x
 * = 89. exp(x - m) / sum of exp(x - m) is the same for any m. With the row's largest element as m,
 * no term exceeds 1 and the sum is at least 1. So there are three passes over a row: the largest,
 * the sum, the results. Here one thread makes them. Neighbouring threads are a row apart, so each
 * load and store of a warp touches 32 sectors.
 *
 * A NaN or +infinity makes its whole row NaN, and so does a row of only -infinity. Any other
 * -infinity becomes 0.
 *
 * Predicted for 4096 x 4096 on an H200: 128 warps on 132 SMs, each waiting for its sector: three
 * times a row's length of steps, mostly L1 hits at 40 clocks, an eighth from DRAM: 2 ms. Measured:
 * 1,829 us (a copy 32.5); 1024 x 1024 357, 16384 x 16384 7,763.
 *
 * Sectors/request: load 32, store 32. */
#include <math.h>

#include "warpbook.h"

constexpr int THREADS = 32;

static __global__ void passes(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * cols;
    float *y = out + (size_t)row * cols, most = -INFINITY, sum = 0;
    for (int c = 0; c < cols; c++)
        most = fmaxf(most, x[c]);
    for (int c = 0; c < cols; c++)
        sum += expf(x[c] - most);
    for (int c = 0; c < cols; c++)
        y[c] = expf(x[c] - most) / sum;
}

extern "C" cudaError_t wbk_softmax_passes_f32(const float *in, float *out, int rows, int cols,
                                              cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    passes<<<(unsigned)(rows - 1) / THREADS + 1, THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}
