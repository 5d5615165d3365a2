/* Sum of an array, with the tree in global memory.
 *
 * The idea: the parallel sum itself. A block takes 256 elements, one per thread. It adds the second
 * half to the first, then halves again: log2 steps, each followed by a barrier. Every step uses
 * global memory, which the next versions avoid. The input must not change, so the block first
 * copies its part. The same kernel adds the blocks' sums until one is left.
 *
 * Predicted for 2^30 floats on an H200: memory moves each element twice, so 2.2 TB/s at best. But a
 * block makes ten dependent cache accesses, and an SM has eight blocks: far below that. Measured:
 * 875 GB/s (CUB 4,545); 2^24 801.
 *
 * Sectors/request: load 4, store 4 while 32 lanes are busy; fewer in the last steps. */
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
