/* Prefix sums of an array, with chunks in shared memory.
 *
 * The idea: only the first read and the last write need global memory. A block loads a chunk of 512
 * elements into shared memory and makes 9 passes there. Between reading the element `step` before
 * and writing its own, a thread needs a barrier. Otherwise a neighbour may read the new value. No
 * block knows the sum before its chunk. So the chunks' sums are scanned in the same way and then
 * added (chunks.cuh): five launches up to 2^27.
 *
 * Predicted for 2^28 floats on an H200: 16 bytes per element instead of 28 x 8, but 20 barriers per
 * block: 1 TB/s in the scan, as in the sum's 2_shared, and the addition at the speed of a copy: 3
 * ms. Measured: 2.59 ms (CUB 0.69); 2^24 170 us, 2^20 21.7.
 *
 * Sectors/request: load 4, store 4. Shared wavefronts/request: 1. */
#include "chunks.cuh"
#include "warpbook.h"

constexpr int THREADS = 512;

static __global__ void shared(const float *in, float *out, float *sums, size_t n) {
    __shared__ float part[THREADS];
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        float before = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
        __syncthreads();
        sum += before;
        part[threadIdx.x] = sum;
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = sum;
}

extern "C" cudaError_t wbk_scan_shared_f32(const float *in, float *out, float *work, size_t n,
                                           cudaStream_t stream) {
    return scan_by_chunks(shared, THREADS, THREADS, in, out, work, n, stream);
}
