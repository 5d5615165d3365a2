/* turned.cuh: the warpgroup's product of floats as TF32, transposed: C' = B' A'. A' is the operand
 * in shared memory, and B' comes through registers (see 9_tf32). A warpgroup has 64 columns of B,
 * two boxes of 32, and twice as many rows of A as a lane has sums. */
#pragma once

#include "hopper.cuh"

namespace turned {

enum { BK = 32 /* elements of k per step */, BOX_BYTES = BK * 128 };

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* A lane's sixteen elements of B: two rows of each eight of k, in two columns. */
typedef uint32_t words[BK / 8][4];

static __device__ __forceinline__ void load_pair(uint32_t &x, uint32_t &y, uint32_t from) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(from));
}

/* The places of a lane's elements. The sixteen columns of its warp (among those that multiply) are
 * half of a box: pieces first, first ^ 4, first + 1 and (first + 1) ^ 4 of 16 bytes. The lane's two
 * columns are in one of them, its rows are t and t + 4 of eight. */
struct Lane {
    uint32_t low, high; /* of its rows, relative to B's boxes */
    int row, col;       /* of its first result in the tile */
    __device__ __forceinline__ Lane(int warp) {
        int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
        int piece = (warp % 2 * 2 + g / 4) ^ (g / 2 % 2 * 4);
        uint32_t box = warp / 2 * BOX_BYTES + g % 2 * 8;
        low = box + t * 128 + (piece ^ t) * 16;
        high = box + (t + 4) * 128 + (piece ^ (t + 4)) * 16;
        row = t * 2;
        col = warp / 2 * 32 + piece * 4 + g % 2 * 2;
    }
};

/* One step as a group of products: sum += A B, or = A B unless `add`. A's rows are at `a`, B's
 * boxes at `b`. The group reads `held` until it is done. */
template <int N>
static __device__ __forceinline__ void multiply_step(float (&sum)[N], words &held, uint32_t a,
                                                     uint32_t b, const Lane &lane, bool add) {
#pragma unroll
    for (int kk = 0; kk < BK / 8; kk++) {
        load_pair(held[kk][0], held[kk][1], b + lane.low + kk * (8 * 128));
        load_pair(held[kk][2], held[kk][3], b + lane.high + kk * (8 * 128));
    }
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < BK / 8; kk++)
        wgmma_tf32(sum, held[kk], wgmma_operand(a + kk * 32), add || kk > 0);
    wgmma_commit();
}

/* Calls put(row, col, x, y) for each pair of adjacent results of a lane. */
template <int N, class Put>
static __device__ __forceinline__ void each_pair(const float (&sum)[N], const Lane &lane, Put put) {
#pragma unroll
    for (int i = 0; i < N / 2; i++) { /* i / 2 * 8 + i % 2: the product's column, C's row */
        int at = i / 2 * 4 + i % 2;
        put(lane.row + i / 2 * 8 + i % 2, lane.col, sum[at], sum[at + 2]);
    }
}

/* Stores them in C: alpha sum + beta C, from the tile's corner on. LOOSE: C's rows start
 * anywhere. */
template <bool LOOSE, int N>
static __device__ __forceinline__ void store_pairs(const float (&sum)[N], const Lane &lane,
                                                   float *C, int row0, int col0, int m, int n,
                                                   float alpha, float beta) {
    each_pair(sum, lane, [&](int row, int col, float x, float y) {
        int r = row0 + row, c = col0 + col;
        if (r >= m || c >= n)
            return;
        float *to = &C[(size_t)r * n + c];
        float2 v = make_float2(alpha * x, alpha * y);
        const bool two = c + 1 < n;
        if (beta != 0) {
            const float2 was = LOOSE ? make_float2(to[0], two ? to[1] : 0) : *(const float2 *)to;
            v.x += beta * was.x;
            v.y += beta * was.y;
        }
        if constexpr (LOOSE) {
            to[0] = v.x;
            if (two)
                to[1] = v.y;
        } else
            *(float2 *)to = v;
    });
}

#endif

} // namespace turned
