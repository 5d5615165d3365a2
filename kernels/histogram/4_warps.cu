/* Histogram of bytes, a histogram a warp.
 *
 * It teaches to look before one fixes. The warps of a block all add to the same 256 words, so
 * give each warp its own, as is often advised. But the additions of several warps to a word never
 * met: shared memory takes one warp's instruction at a time, and what a warp waits for is its own
 * lanes, that fall on the same banks.
 *
 * Predicted for 2^28 bytes on an H200, by that: nothing. Measured: 124 us for 123, skewed bytes 92
 * for 91. (Counting runs of alike bytes in registers first, as other advice has it: 137 us for even
 * bytes, 250 for skewed ones, 274 where all are alike: `atomicAdd` of 1 has an instruction of its
 * own, which counts the lanes that are alike; of another number it has not.)
 *
 * Sectors/request: load 16 (512 bytes a warp, all wanted). */
#include "bytes.cuh"
#include "warpbook.h"

constexpr int THREADS = 256, WARPS = THREADS / 32;

struct one_a_warp {
    static constexpr int WORDS = BINS * WARPS;
    static __device__ int place(unsigned value) {
        return (int)(threadIdx.x / 32 * BINS + value);
    }
    static __device__ int count_of(const int *counts, int bin) {
        int sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += counts[w * BINS + bin];
        return sum;
    }
};

extern "C" cudaError_t wbk_histogram_warps_u8(const unsigned char *in, int *bins, size_t n,
                                              cudaStream_t stream) {
    return count_bytes<one_a_warp, THREADS, 2, 8>(in, bins, n, stream);
}
