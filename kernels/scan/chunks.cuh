/* chunks.cuh: a scan of any length, made of scans of chunks.
 *
 * A block scans a chunk and stores its sum. The sums are scanned in the same way until one chunk
 * holds them all. Then the sum before each chunk is added to its elements. So an element is read
 * and written twice, 16 bytes. */
#pragma once

#include <cuda_runtime.h>

/* out = the scan of each chunk of `in` (which may be out); sums[block] = the sum of the chunk. */
typedef void scan_chunk_kernel(const float *in, float *out, float *sums, size_t n);

/* out[i] += the sum of all chunks before i's, one element per thread. Block 0 starts at the second
 * chunk, because no sum precedes the first. */
static __global__ void add_chunks_before(float *out, const float *sums, size_t n, size_t chunk) {
    size_t i = chunk + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += sums[i / chunk - 1];
}

/* Each block of `threads` scans a chunk. `work` has room for the sums of all levels (n / 64). */
static cudaError_t scan_by_chunks(scan_chunk_kernel *kernel, unsigned threads, size_t chunk,
                                  const float *in, float *out, float *work, size_t n,
                                  cudaStream_t stream) {
    enum { ADDERS = 256, MOST_LEVELS = 8 };
    struct level {
        float *scanned, *sums;
        size_t n;
    } levels[MOST_LEVELS];
    int last = 0;
    if (n == 0)
        return cudaSuccess;
    if ((n - 1) / ADDERS >= 0x7fffffff)
        return cudaErrorInvalidValue;
    for (;; last++) {
        size_t blocks = (n - 1) / chunk + 1;
        kernel<<<(unsigned)blocks, threads, 0, stream>>>(in, out, work, n);
        levels[last] = {out, work, n};
        if (blocks == 1)
            break;
        in = out = work; /* in place */
        work += blocks;
        n = blocks;
    }
    while (last-- > 0) {
        const level &l = levels[last];
        add_chunks_before<<<(unsigned)((l.n - chunk - 1) / ADDERS + 1), ADDERS, 0, stream>>>(
            l.scanned, l.sums, l.n, chunk);
    }
    return cudaGetLastError();
}
