/* Histogram of bytes, a histogram a bank of shared memory: the best.
 *
 * What it teaches: what a warp waits for is lanes that want different words of one bank. With 32
 * copies of each count side by side, a row of the banks each, a lane stays in its own bank whatever
 * it counts: one turn an instruction, for even bytes as for skewed ones, and lanes that are alike
 * no longer meet either. 32 KB a block of 1024 threads, so that two blocks fill an SM and few
 * copies have to be added up at the end, each thread beginning in another bank.
 *
 * Predicted for 2^28 bytes on an H200: 32 additions a turn, two clocks a turn: 16 bytes a clock and
 * SM, 4.2 TB/s: the read limit, nearly. Measured: 70.5 us, 3.8 TB/s, for even bytes and skewed ones
 * alike (CUB 130 and 100), 69.6 where all are alike (80); 2^24 11.4 (15.0 and 13.1), 2^20 6.1
 * (7.1). (A thread's own counters of a byte each, with plain additions in place of atomics: 172 us;
 * each waits for the one before.)
 *
 * Sectors/request: load 16 (512 bytes a warp, all wanted). Shared: no conflicts. */
#include "bytes.cuh"
#include "warpbook.h"

constexpr int THREADS = 1024, BANKS = 32;

struct one_a_bank {
    static constexpr int WORDS = BINS * BANKS;
    static __device__ int place(unsigned value) {
        return (int)(value * BANKS + threadIdx.x % BANKS);
    }
    static __device__ int count_of(const int *counts, int bin) {
        int sum = 0;
#pragma unroll 8
        for (int b = 0; b < BANKS; b++)
            sum += counts[bin * BANKS + (bin + b) % BANKS];
        return sum;
    }
};

extern "C" cudaError_t wbk_histogram_banks_u8(const unsigned char *in, int *bins, size_t n,
                                              cudaStream_t stream) {
    return count_bytes<one_a_bank, THREADS, 2, 2>(in, bins, n, stream);
}
