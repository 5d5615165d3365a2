/* Histogram of bytes, sixteen a load.
 *
 * What it teaches: a byte a load makes a load, an address and a step of the loop for each; 16 bytes
 * a load, two of them under way, leave the extraction and the atomic. The bytes before the first
 * 16-byte boundary and after the last are counted one by one. And the result is cleared by a small
 * kernel behind which this one is brought up (overlap.h), so that it costs no launch of its own.
 *
 * Predicted for 2^28 bytes on an H200: the atomics are what is left: 32 random bytes fall on the 32
 * banks 3.5 deep, so 9 additions a clock and SM, 2.4 TB/s: 110 us; where all are alike, one turn a
 * warp: the read limit. Measured: 123 us (CUB 130), skewed bytes 91 (100), all alike 66 (80); 2^24
 * 18.3 (15.0), 2^20 7.3 (7.1).
 *
 * Sectors/request: load 16 (512 bytes a warp, all wanted). */
#include "bytes.cuh"
#include "warpbook.h"

constexpr int THREADS = 256;

struct one_each {
    static constexpr int WORDS = BINS;
    static __device__ int place(unsigned value) {
        return (int)value;
    }
    static __device__ int count_of(const int *counts, int bin) {
        return counts[bin];
    }
};

extern "C" cudaError_t wbk_histogram_quads_u8(const unsigned char *in, int *bins, size_t n,
                                              cudaStream_t stream) {
    return count_bytes<one_each, THREADS, 2, 8>(in, bins, n, stream);
}
