/* look_back.cuh: the single-pass scan of 6_look_back, for any size of tiles. */
#pragma once

#include "overlap.h"
#include "tile.cuh"

/* A tile's published value and its kind, in one word. 0: nothing yet. */
typedef unsigned long long tile_word;

enum tile_tells {
    TELLS_NOTHING,
    TELLS_SUM,   /* the sum of its own elements */
    TELLS_PREFIX /* the sum of its own and all earlier elements */
};

static __device__ __forceinline__ void tell(tile_word *word, tile_tells what, float value) {
    tile_word whole = (tile_word)what << 32 | __float_as_uint(value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(whole) : "memory");
}

static __device__ __forceinline__ tile_word ask(const tile_word *word) {
    tile_word whole;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(whole) : "l"(word) : "memory");
    return whole;
}

static __global__ void clear_words(tile_word *words, unsigned n) {
    overlap_next();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        words[i] = 0;
}

constexpr int LOOK_BACK = 4; /* words per lane: a window of 128 tiles */

/* Returns the distance less 1 of the nearest tile before `tile` that has published a prefix, if all
 * tiles between have published their sums; else -1. `values` of lane l are those of the tiles 1 +
 * l, 33 + l, ... before. */
static __device__ __forceinline__ int nearest_prefix(const tile_word *words, unsigned tile,
                                                     float (&values)[LOOK_BACK]) {
    unsigned told[LOOK_BACK];
#pragma unroll
    for (int w = 0; w < LOOK_BACK; w++) {
        unsigned back = 1 + w * 32 + threadIdx.x % 32;
        tile_word word = back <= tile ? ask(words + (tile - back)) : (tile_word)TELLS_PREFIX << 32;
        told[w] = (unsigned)(word >> 32);
        values[w] = __uint_as_float((unsigned)word);
    }
    bool whole = true;
    int nearest = -1;
#pragma unroll
    for (int w = 0; w < LOOK_BACK; w++) {
        unsigned prefixes = __ballot_sync(0xffffffff, told[w] == TELLS_PREFIX);
        unsigned silent = __ballot_sync(0xffffffff, told[w] == TELLS_NOTHING);
        unsigned nearer = prefixes ? (prefixes & -prefixes) - 1 : 0xffffffff;
        if (nearest < 0 && whole) {
            whole = (silent & nearer) == 0;
            if (whole && prefixes)
                nearest = w * 32 + __ffs(prefixes) - 1;
        }
    }
    return nearest;
}

/* Returns the sum before the tile, always added from left to right. All 32 lanes of a warp call
 * it. */
static __device__ __forceinline__ float look_back(const tile_word *words, unsigned tile) {
    float values[LOOK_BACK], sum = 0;
    int nearest;
    do
        nearest = nearest_prefix(words, tile, values);
    while (nearest < 0);
#pragma unroll
    for (int w = LOOK_BACK - 1; w >= 0; w--) {
        if (w * 32 > nearest)
            continue;
#pragma unroll
        for (int lane = 31; lane >= 0; lane--) {
            float value = __shfl_sync(0xffffffff, values[w], lane);
            sum = w * 32 + lane <= nearest ? sum + value : sum;
        }
    }
    return sum;
}

template <int THREADS, int V, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    scan_in_one_pass(const float *__restrict__ in, float *out, tile_word *words, ptrdiff_t n) {
    __shared__ float prefix;
    scan_tile<THREADS, V> tile;
    tile.load(in, out, n, blockIdx.x);
    float total, mine = tile.scan(&total);
    if (threadIdx.x < 32) {
        overlap_wait(); /* waits until the words are clear */
        tile_word *word = words + blockIdx.x;
        if (blockIdx.x > 0 && threadIdx.x == 0)
            tell(word, TELLS_SUM, total);
        float before = blockIdx.x > 0 ? look_back(words, blockIdx.x) : 0;
        if (threadIdx.x == 0) {
            tell(word, TELLS_PREFIX, before + total);
            prefix = before;
        }
    }
    __syncthreads();
    tile.store(out, n, prefix + mine);
}

/* V quads per thread, at least BLOCKS blocks per SM. */
template <int THREADS, int V, int BLOCKS>
static cudaError_t scan_looking_back(const float *in, float *out, float *work, size_t n,
                                     cudaStream_t stream) {
    constexpr unsigned CLEARERS = 256;
    if (n == 0)
        return cudaSuccess;
    size_t tiles = scan_tiles(in, n, scan_tile<THREADS, V>::SIZE);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue;
    tile_word *words = (tile_word *)(((uintptr_t)work + 7) / 8 * 8);
    clear_words<<<((unsigned)tiles - 1) / CLEARERS + 1, CLEARERS, 0, stream>>>(words,
                                                                               (unsigned)tiles);
    return launch_overlapped(scan_in_one_pass<THREADS, V, BLOCKS>, (unsigned)tiles, THREADS, stream,
                             in, out, words, (ptrdiff_t)n);
}
