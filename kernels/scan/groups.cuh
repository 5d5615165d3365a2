/* groups.cuh: finds the sum before a tile in two steps: the tiles of its group, and the groups
 * before. */
#pragma once

#include "gemm/async.cuh"
#include "launch.h"
#include "look_back.cuh"

constexpr unsigned GROUP = 32; /* tiles: one for each lane */

/* One word for each tile, then one for each group. */
struct scan_words {
    tile_word *tiles, *groups;
    unsigned n;
};

static inline scan_words words_in(float *work, unsigned tiles) {
    tile_word *first = (tile_word *)(((uintptr_t)work + 7) / 8 * 8);
    return {first, first + tiles, tiles + tiles / GROUP + 1};
}

static inline void clear_words_of(scan_words words, cudaStream_t stream) {
    constexpr unsigned CLEARERS = 256;
    clear_words<<<(words.n - 1) / CLEARERS + 1, CLEARERS, 0, stream>>>(words.tiles, words.n);
}

/* Sums over a warp, in the same order for every lane. */
static __device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    return value;
}

/* Returns the sum before tile `tile`, which holds `total`. Publishes what it can. All lanes of one
 * warp call it. */
static __device__ __forceinline__ float before_tile(scan_words words, unsigned tile, float total) {
    unsigned lane = threadIdx.x % 32, group = tile / GROUP, place = tile % GROUP;
    const tile_word *own = words.tiles + group * GROUP;
    bool last = place == GROUP - 1;
    if (lane == 0 && !last)
        tell(words.tiles + tile, TELLS_SUM, total);
    tile_word of_tile, of_group;
    do { /* both loads are in flight together */
        of_tile = lane < place ? ask(own + lane) : (tile_word)TELLS_SUM << 32;
        of_group =
            lane < group ? ask(words.groups + (group - 1 - lane)) : (tile_word)TELLS_PREFIX << 32;
    } while (__any_sync(0xffffffff, (unsigned)(of_tile >> 32) == TELLS_NOTHING));
    float mine = lane < place ? __uint_as_float((unsigned)of_tile) : 0, in_group = warp_sum(mine);
    float whole = last ? warp_sum(lane < place ? mine : total) : 0;
    if (last && lane == 0) /* the first group's sum is its prefix */
        tell(words.groups + group, group > 0 ? TELLS_SUM : TELLS_PREFIX, whole);

    unsigned prefixes, silent;
    for (;;) {
        unsigned told = (unsigned)(of_group >> 32);
        prefixes = __ballot_sync(0xffffffff, told == TELLS_PREFIX);
        silent = __ballot_sync(0xffffffff, told == TELLS_NOTHING);
        if (prefixes && !(silent & ((prefixes & -prefixes) - 1)))
            break;
        of_group =
            lane < group ? ask(words.groups + (group - 1 - lane)) : (tile_word)TELLS_PREFIX << 32;
    }
    float value = __uint_as_float((unsigned)of_group), before = 0;
    for (int nearest = __ffs(prefixes) - 1; nearest >= 0; nearest--) /* from left to right */
        before += __shfl_sync(0xffffffff, value, nearest);
    if (last && group > 0 && lane == 0)
        tell(words.groups + group, TELLS_PREFIX, before + whole);
    return before + in_group;
}

template <int THREADS, int V, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    scan_by_groups(const float *__restrict__ in, float *out, scan_words words, ptrdiff_t n) {
    __shared__ float prefix;
    scan_tile<THREADS, V> tile;
    tile.load(in, out, n, blockIdx.x);
    float total, mine = tile.scan(&total);
    if (threadIdx.x < 32) {
        overlap_wait(); /* waits until the words are clear */
        float before = before_tile(words, blockIdx.x, total);
        if (threadIdx.x == 0)
            prefix = before;
    }
    __syncthreads();
    tile.store(out, n, prefix + mine);
}

/* V quads per thread, at least BLOCKS blocks per SM. */
template <int THREADS, int V, int BLOCKS>
static cudaError_t launch_by_groups(const float *in, float *out, float *work, size_t n,
                                    cudaStream_t stream) {
    if (n == 0)
        return cudaSuccess;
    size_t tiles = scan_tiles(in, n, scan_tile<THREADS, V>::SIZE);
    if (tiles > 0x3fffffff)
        return cudaErrorInvalidValue;
    scan_words words = words_in(work, (unsigned)tiles);
    clear_words_of(words, stream);
    return launch_overlapped(scan_by_groups<THREADS, V, BLOCKS>, (unsigned)tiles, THREADS, stream,
                             in, out, words, (ptrdiff_t)n);
}

/* ---- blocks that stay ---------------------------------------------------------------------------
 */

/* Copies this thread's quads of a tile to its own places in `next`. Skips incomplete tiles. */
template <int THREADS, int V>
static __device__ __forceinline__ void fetch_tile(float4 *next, const float *in, const float *out,
                                                  ptrdiff_t n, unsigned number) {
    scan_tile<THREADS, V> tile;
    tile.find(in, out, n, number);
    if (tile.whole) {
#pragma unroll
        for (int k = 0; k < V; k++)
            async_copy<4>((float *)(next + k * THREADS + threadIdx.x), in + tile.first + k * 128,
                          true);
    }
    async_commit();
}

template <int THREADS, int V, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    scan_ahead(const float *__restrict__ in, float *out, scan_words words, ptrdiff_t n,
               unsigned tiles) {
    extern __shared__ float4 next[];
    __shared__ float prefix[2];
    fetch_tile<THREADS, V>(next, in, out, n, blockIdx.x);
    int turn = 0;
    for (unsigned number = blockIdx.x; number < tiles; number += gridDim.x, turn ^= 1) {
        scan_tile<THREADS, V> tile;
        tile.find(in, out, n, number);
        async_wait<0>();
        if (tile.whole) {
#pragma unroll
            for (int k = 0; k < V; k++)
                tile.quad[k] = next[k * THREADS + threadIdx.x];
        } else {
            tile.load(in, out, n, number);
        }
        asm volatile("" ::: "memory"); /* read before it is overwritten */
        if (number + gridDim.x < tiles)
            fetch_tile<THREADS, V>(next, in, out, n, number + gridDim.x);
        float total, mine = tile.scan(&total, turn);
        if (threadIdx.x < 32) {
            if (number == blockIdx.x)
                overlap_wait(); /* waits until the words are clear */
            float before = before_tile(words, number, total);
            if (threadIdx.x == 0)
                prefix[turn] = before;
        }
        __syncthreads();
        tile.store(out, n, prefix[turn] + mine);
    }
}

/* Returns cudaErrorInvalidValue if a tile does not fit in a block's shared memory. */
template <int THREADS, int V, int BLOCKS>
static cudaError_t launch_ahead(const float *in, float *out, float *work, size_t n,
                                cudaStream_t stream) {
    auto *kernel = scan_ahead<THREADS, V, BLOCKS>;
    constexpr int SHARED = scan_tile<THREADS, V>::SIZE * sizeof(float);
    if (n == 0)
        return cudaSuccess;
    size_t tiles = scan_tiles(in, n, scan_tile<THREADS, V>::SIZE);
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    if (status != cudaSuccess) {
        cudaGetLastError(); /* clears the error for the caller */
        return cudaErrorInvalidValue;
    }
    size_t fit = blocks_at_once(kernel, THREADS, SHARED);
    if (fit < 1 || tiles > 0x3fffffff)
        return cudaErrorInvalidValue;
    scan_words words = words_in(work, (unsigned)tiles);
    clear_words_of(words, stream);
    return launch_overlapped_with(kernel, (unsigned)(tiles < fit ? tiles : fit), THREADS, SHARED,
                                  stream, in, out, words, (ptrdiff_t)n, (unsigned)tiles);
}
