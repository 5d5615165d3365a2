/* Prefix sums of an array by passes over memory.
 *
 * The idea: a sum that seems sequential can run in parallel (Hillis and Steele, "Data parallel
 * algorithms", 1986). The first pass adds to each element its left neighbour, the next the element
 * 2 before it, then 4, 8, ... After log2 n passes each element has the sum of all up to itself.
 * Threads share only memory, and a launch is the barrier between two passes. The price: n log2 n
 * additions instead of n, and each pass reads and writes the whole array.
 *
 * Predicted for 2^24 floats on an H200: 24 passes of 33 us (a copy), half of them helped by L2: 800
 * us; 2^20 20 passes of 4 us, mostly launches. Measured: 2^20 92 us (CUB 10.8), 2^24 1,336 (48),
 * because a pass evicts its own results from L2.
 *
 * Sectors/request: load 4 (and 4 of the added element), store 4. */
#include "warpbook.h"

constexpr int THREADS = 256;

static __global__ void pass(const float *in, float *out, size_t n, size_t step) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] = i >= step ? in[i - step] + in[i] : in[i];
}

extern "C" cudaError_t wbk_scan_passes_f32(const float *in, float *out, float *work, size_t n,
                                           cudaStream_t stream) {
    if (n == 0)
        return cudaSuccess;
    size_t blocks = (n - 1) / THREADS + 1;
    if (blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    int passes = 1;
    while (((size_t)1 << passes) < n)
        passes++;
    for (int k = 0; k < passes; k++) { /* alternates so that the last pass writes `out` */
        float *to = (passes - k) % 2 ? out : work;
        pass<<<(unsigned)blocks, THREADS, 0, stream>>>(in, to, n, (size_t)1 << k);
        in = to;
    }
    return cudaGetLastError();
}
