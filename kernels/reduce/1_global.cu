/* Sum of an array, the tree in global memory.
 *
 * What it teaches: the parallel sum itself. A block takes 256 elements, a thread each, adds the
 * second half to the first, then halves again and again: log2 steps with a barrier after each.
 * Every step goes through global memory, which is what the next versions take away; and as the
 * input shall stay as it is, the block begins with a copy of its part. The blocks' sums are summed
 * by the same kernel until one is left.
 *
 * Predicted for 2^30 floats on an H200: memory moves each element twice, so 2.2 TB/s at best; but a
 * block takes ten steps one after the other, each a trip to a cache, and an SM has eight blocks:
 * far from it. Measured: 875 GB/s (CUB 4,545), so a block lives 1.2 us; 2^24 801.
 *
 * Sectors/request: load 4, store 4 while 32 lanes are busy; the last steps use fewer. */
#include "warpbook.h"

constexpr int THREADS = 256;

template <typename T> static __global__ void global(const T *in, T *work, T *sums, size_t n) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    T *part = work + (size_t)blockIdx.x * THREADS; /* this block's own */
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

template <typename T>
static cudaError_t launch(const T *in, T *out, T *work, size_t n, cudaStream_t stream) {
    size_t blocks = n ? (n - 1) / THREADS + 1 : 1;
    if (blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    T *sums = work + blocks * THREADS; /* behind the blocks' parts */
    while (blocks > 1) {
        global<<<(unsigned)blocks, THREADS, 0, stream>>>(in, work, sums, n);
        in = sums;
        sums += blocks;
        n = blocks;
        blocks = (n - 1) / THREADS + 1;
    }
    global<<<1, THREADS, 0, stream>>>(in, work, out, n);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_reduce_global_f32(const float *in, float *out, float *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}

extern "C" cudaError_t wbk_reduce_global_f64(const double *in, double *out, double *work, size_t n,
                                             cudaStream_t stream) {
    return launch(in, out, work, n, stream);
}
