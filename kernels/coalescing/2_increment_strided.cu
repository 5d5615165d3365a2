/* a[i] += 1 with strided accesses.
 *
 * idx = blockIdx.x + blockDim.x * threadIdx.x
 *
 * The idea: the same work with the two indices swapped. Consecutive lanes are now blockDim.x floats
 * (1024 bytes) apart. So each of a warp's 32 loads needs its own sector, and 28 of every 32 bytes
 * moved are wasted.
 *
 * Predicted for 2^26 floats on an H200: an eighth of 1_increment_coalesced, 347 GB/s after 2,778.
 * Measured: 268. Storing 4 bytes of a sector costs the cache more than an eighth, as in
 * transpose/2_read_coalesced.
 *
 * The formula numbers each element once if there are as many blocks as threads in a block.
 * blockIdx.y repeats that square of 256 x 256 elements until the array is covered.
 *
 * Sectors/request: load 32, store 32. Bytes wanted over bytes moved: 128 / 1024 = 12.5 %. */
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
        return cudaErrorInvalidValue; /* more than 2^32 elements: the grid's y is at most 65535 */
    if (n == 0)
        return cudaSuccess;
    increment_strided<<<dim3(threads, (unsigned)squares), threads, 0, stream>>>(a, n);
    return cudaGetLastError();
}
