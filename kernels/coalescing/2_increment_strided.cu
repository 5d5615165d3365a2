/* a[i] += 1, neighbours touch addresses far apart.
 *
 * idx = blockIdx.x + blockDim.x * threadIdx.x
 *
 * What it teaches: the same work with the two indices swapped. Consecutive lanes are now
 * blockDim.x floats (1024 bytes) apart, so each of the 32 loads of a warp needs a sector of its
 * own, and 28 of every 32 bytes moved are not wanted by this warp.
 *
 * Predicted for 2^26 floats on an H200: an eighth of 1_increment_coalesced, 347 GB/s after 2,778.
 * Measured: 268, ten times slower: a store of 4 bytes to a sector costs the cache
 * more than its share, as in transpose/2_read_coalesced.
 *
 * The formula numbers each element once when there are as many blocks as threads in a block;
 * blockIdx.y repeats that square, 256 x 256 elements at a time, until the array is covered.
 *
 * Sectors/request: load 32, store 32.  Bytes wanted over bytes moved: 128 / 1024 = 12.5 %. */
#include "warpbook.h"

static __global__ void increment_strided(float *a, size_t n) {
    size_t square = (size_t)blockDim.x * blockDim.x;
    size_t idx = blockIdx.x + blockDim.x * threadIdx.x + blockIdx.y * square;
    if (idx < n)
        a[idx] += 1;
}

extern "C" cudaError_t wbk_increment_strided_f32(float *a, size_t n, cudaStream_t stream) {
    const unsigned threads = 256;
    size_t squares = (n + threads * threads - 1) / (threads * threads);
    if (squares > 65535)
        return cudaErrorInvalidValue; /* more than 2^32 elements: the grid's y ends at 65535 */
    if (n == 0)
        return cudaSuccess;
    increment_strided<<<dim3(threads, (unsigned)squares), threads, 0, stream>>>(a, n);
    return cudaGetLastError();
}
