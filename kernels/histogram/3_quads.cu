/* Histogram of bytes, sixteen per load.
 *
 * The idea: one byte per load needs a load, an address and a loop step for each. Two 16-byte loads
 * in flight leave only the extraction and the atomic. Bytes before the first 16-byte boundary and
 * after the last are counted one by one. A small kernel clears the result, and this one starts
 * while it still runs (overlap.h), which hides its launch.
 *
 * Predicted for 2^28 bytes on an H200: only the atomics remain: 32 random bytes hit 32 banks 3.5
 * deep, so 9 additions per clock and SM: 110 us. Equal bytes need one turn per warp: the read
 * limit. Measured: 123 us (CUB 130), skewed bytes 91 (100), equal bytes 66 (80); 2^24 18.3 (15.0),
 * 2^20 7.3 (7.1).
 *
 * Sectors/request: load 16 (512 bytes a warp, all used). */
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
