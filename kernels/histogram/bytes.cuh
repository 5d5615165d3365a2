/* bytes.cuh: counts sixteen bytes at a time in shared memory with the caller's layout.
 *
 * A layout defines how many words a block's counts take, where this thread counts a value, and a
 * bin's total. */
#pragma once

#include <stdint.h>

#include "launch.h"
#include "overlap.h"

constexpr int BINS = 256;

static __global__ void __launch_bounds__(BINS) clear_bins(int *bins) {
    overlap_next();
    bins[threadIdx.x] = 0;
}

template <typename L>
static __device__ __forceinline__ void count_word(int *counts, unsigned word) {
#pragma unroll
    for (int k = 0; k < 4; k++)
        atomicAdd(&counts[L::place(word >> 8 * k & 255)], 1);
}

/* Counts the bytes. Block 0 also counts the first `head` bytes and those behind the n_quads
 * quads. */
template <typename L, int THREADS, int AT_ONCE, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    count(const unsigned char *__restrict__ in, int *bins, size_t n, int head, size_t n_quads) {
    __shared__ int counts[L::WORDS];
    for (int i = threadIdx.x; i < L::WORDS; i += THREADS)
        counts[i] = 0;
    __syncthreads();
    const uint4 *quads = (const uint4 *)(in + head);
    size_t step = (size_t)gridDim.x * THREADS, i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < n_quads; i += AT_ONCE * step) {
        uint4 q[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j * step < n_quads)
                q[j] = quads[i + j * step];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j * step < n_quads) {
                count_word<L>(counts, q[j].x);
                count_word<L>(counts, q[j].y);
                count_word<L>(counts, q[j].z);
                count_word<L>(counts, q[j].w);
            }
    }
    size_t rest = head + n_quads * 16; /* fewer than 16 from here on */
    if (blockIdx.x == 0 && threadIdx.x < head)
        atomicAdd(&counts[L::place(in[threadIdx.x])], 1);
    if (blockIdx.x == 0 && rest + threadIdx.x < n)
        atomicAdd(&counts[L::place(in[rest + threadIdx.x])], 1);
    __syncthreads();
    overlap_wait(); /* waits until the bins are clear */
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        int sum = L::count_of(counts, bin);
        if (sum > 0)
            atomicAdd(&bins[bin], sum);
    }
}

/* Launches as many blocks as fit, or fewer if some threads would have no work. */
template <typename L, int THREADS, int AT_ONCE, int BLOCKS>
static cudaError_t count_bytes(const unsigned char *in, int *bins, size_t n, cudaStream_t stream) {
    if (n > 0x7fffffff) /* the largest count */
        return cudaErrorInvalidValue;
    size_t head = (16 - (uintptr_t)in % 16) % 16;
    head = head < n ? head : n;
    size_t n_quads = (n - head) / 16, blocks = n_quads / THREADS + 1;
    size_t fit = blocks_at_once(count<L, THREADS, AT_ONCE, BLOCKS>, THREADS);
    clear_bins<<<1, BINS, 0, stream>>>(bins);
    return launch_overlapped(count<L, THREADS, AT_ONCE, BLOCKS>,
                             (unsigned)(blocks < fit ? blocks : fit), THREADS, stream, in, bins, n,
                             (int)head, n_quads);
}
