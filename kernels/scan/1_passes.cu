/* Prefix sums of an array, by passes over it.
 *
 * What it teaches: a sum that seems to go from left to right, one element after the other, can be
 * done in parallel all the same (Hillis and Steele, "Data parallel algorithms", 1986). The first
 * pass adds to each element its neighbour, the next what lies 2 before it, then 4, 8, ...: after
 * log2 n passes each holds the sum of all up to itself. Nothing is shared between threads but
 * memory, and a launch is the barrier between two passes. The price: n log2 n additions in place of
 * n, and each pass reads and writes the whole array.
 *
 * Predicted for 2^24 floats on an H200: 24 passes of a copy's 33 us, half of them helped by the L2
 * cache: 800 us; 2^20 20 passes of 4 us, launches mostly. Measured: 2^20 92 us (CUB 10.8), 2^24
 * 1,336 (48): what a pass leaves in the L2 cache the next has pushed out before it comes there.
 *
 * Sectors/request: load 4 (and 4 of the element that is added), store 4. */
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
    for (int k = 0; k < passes; k++) { /* to and fro, so that the last one writes `out` */
        float *to = (passes - k) % 2 ? out : work;
        pass<<<(unsigned)blocks, THREADS, 0, stream>>>(in, to, n, (size_t)1 << k);
        in = to;
    }
    return cudaGetLastError();
}
