/* overlapped.cuh: reduces slices, with the second launch hidden behind the first (9_overlap). */
#pragma once

#include "overlap.h"
#include "slices.cuh"

/* Computes *out from parts[0..n) in one block. */
template <typename Op, typename T>
static __global__ void __launch_bounds__(THREADS) finish(const T *parts, T *out, unsigned n) {
    overlap_wait();
    T result = Op::none();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < n; i += THREADS)
        result = Op::of(result, parts[i]);
    block_result<Op>(result, out);
}

/* `kernel` stores the result of each block's slice, and calls overlap_next() before. */
template <typename Op, typename T>
static cudaError_t launch_slices(void (*kernel)(const T *, T *, sliced), const T *in, T *out,
                                 T *work, size_t n, cudaStream_t stream) {
    /* data that one block can have in flight is one slice: a second launch would take longer */
    const sliced of = cut(in, n, AT_ONCE * THREADS);
    kernel<<<(unsigned)of.blocks, THREADS, 0, stream>>>(in, of.blocks > 1 ? work : out, of);
    if (of.blocks > 1)
        launch_overlapped(finish<Op, T>, 1, THREADS, stream, (const T *)work, out,
                          (unsigned)of.blocks);
    return cudaGetLastError();
}
