/* tile.cuh: a block's tile with many elements per thread, scanned in registers.
 *
 * A warp owns V consecutive rows of 128 elements, a lane four neighbours of each. So 16-byte
 * accesses are adjacent without a detour through shared memory. A lane scans its four elements with
 * three additions. The warp scans the lanes' sums of all V rows in five independent shuffle steps
 * each, and then the rows' sums. Nothing is ever subtracted, so an infinity does not spread
 * backwards. The order of additions depends only on the place in the tile, so every call gives the
 * same bits. */
#pragma once

#include "quads.cuh"

template <int THREADS, int V> struct scan_tile {
    static constexpr int SIZE = THREADS * V * 4, WARPS = THREADS / 32;
    float4 quad[V];  /* loaded; then each element plus the lane's elements before it */
    float before[V]; /* the warp's sum before this lane's quad */
    ptrdiff_t first; /* of this thread's elements in the array; negative if it is not aligned */
    bool whole;      /* the tile is inside the array, and aligned in both arrays */

    /* Finds tile `number` of an array of n. `in` determines where tiles begin. */
    __device__ __forceinline__ void find(const float *in, const float *out, ptrdiff_t n,
                                         unsigned number) {
        ptrdiff_t start = (ptrdiff_t)number * SIZE - quads_skip(in);
        whole = start >= 0 && start + SIZE <= n && quads_skip(in) == quads_skip(out);
        first = start + (threadIdx.x / 32) * (V * 128) + (threadIdx.x % 32) * 4;
    }

    __device__ __forceinline__ void load(const float *in, const float *out, ptrdiff_t n,
                                         unsigned number) {
        find(in, out, n, number);
        if (whole) {
#pragma unroll
            for (int k = 0; k < V; k++)
                quad[k] = *(const float4 *)(in + first + k * 128);
        } else {
#pragma unroll
            for (int k = 0; k < V; k++)
                quad[k] = quad_load(in, first + k * 128, n, 0);
        }
    }

    /* Returns the sum of the warps before this one. *total: the tile's sum. Every thread calls it.
     * A block that scans several tiles alternates turns 0 and 1. */
    __device__ __forceinline__ float scan(float *total, int turn = 0) {
        __shared__ float sums_of_warps[2][WARPS];
        float *warps = sums_of_warps[turn];
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        float sums[V];
#pragma unroll
        for (int k = 0; k < V; k++) {
            quad[k].y += quad[k].x;
            quad[k].z += quad[k].y;
            quad[k].w += quad[k].z;
            sums[k] = quad[k].w;
        }
#pragma unroll
        for (int step = 1; step < 32; step *= 2)
#pragma unroll
            for (int k = 0; k < V; k++) {
                float other = __shfl_up_sync(0xffffffff, sums[k], step);
                sums[k] = lane >= step ? sums[k] + other : sums[k];
            }
        float rows = 0;
#pragma unroll
        for (int k = 0; k < V; k++) {
            float other = __shfl_up_sync(0xffffffff, sums[k], 1);
            before[k] = rows + (lane > 0 ? other : 0);
            rows += __shfl_sync(0xffffffff, sums[k], 31);
        }
        if (lane == 0)
            warps[warp] = rows;
        __syncthreads();
        float mine = 0, all = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            mine = w == warp ? all : mine;
            all += warps[w];
        }
        *total = all;
        return mine;
    }

    /* base: the sum before this warp's elements. */
    __device__ __forceinline__ void store(float *out, ptrdiff_t n, float base) const {
#pragma unroll
        for (int k = 0; k < V; k++) {
            float b = base + before[k];
            float4 v = make_float4(b + quad[k].x, b + quad[k].y, b + quad[k].z, b + quad[k].w);
            if (whole)
                __stcs((float4 *)(out + first + k * 128), v); /* not read here again */
            else
                quad_store(out, first + k * 128, n, v, false);
        }
    }
};

/* Returns how many tiles of that size an array of n needs. */
static inline size_t scan_tiles(const float *in, size_t n, size_t size) {
    return (n + quads_skip(in) + size - 1) / size;
}
