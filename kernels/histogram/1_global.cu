/* Histogram of bytes, counted in global memory.
 *
 * What it teaches: threads that read a count, add 1 and write it back lose what others add between;
 * atomicAdd loses nothing. But the additions at one address queue in the L2 cache, and 256 bins are
 * few addresses. How long the queue is hangs on the data: in text or in a dark picture a few values
 * have most of it.
 *
 * Predicted for 2^28 bytes on an H200: 32 lanes fall on some 30 of 256 words, 1 ns a lane's
 * addition at one L2 slice and a dozen slices at work: 20 ms, ten times as long where one value has
 * a third of all. Measured: 69 ms for even bytes (CUB 0.13), 132 ms for skewed ones.
 *
 * Sectors/request: load 1 (32 bytes a warp). */
#include "warpbook.h"

constexpr int THREADS = 256, BINS = 256;

static __global__ void global(const unsigned char *in, int *bins, size_t n) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1);
}

extern "C" cudaError_t wbk_histogram_global_u8(const unsigned char *in, int *bins, size_t n,
                                               cudaStream_t stream) {
    if (n > 0x7fffffff) /* what a bin may come to */
        return cudaErrorInvalidValue;
    cudaError_t status = cudaMemsetAsync(bins, 0, BINS * sizeof(int), stream);
    if (status != cudaSuccess || n == 0)
        return status;
    global<<<(unsigned)((n - 1) / THREADS + 1), THREADS, 0, stream>>>(in, bins, n);
    return cudaGetLastError();
}
