/* pipeline.cuh: the core of the last rungs. One block multiplies one tile of C through a ring of
 * tiles of A and B in shared memory, which asynchronous copies keep filled.
 * - Copies. A's tile is stored transposed by 4-byte copies: eight lanes along k and four rows, so a
 *   whole sector of each row. Transposed rows are BM + 4 floats apart, so that a copy meets 32
 *   banks. A's rows may have any alignment. B's tile keeps its order, with 16-byte copies if VEC (n
 *   a multiple of 4, aligned pointers), else 4-byte copies.
 * - Edges. Rows and columns beyond the matrix are zeros. If k is no multiple of BK, the first step
 *   is the short one, and every later step is whole.
 * - Arithmetic. A warp's lanes are LANES_M x LANES_N. A thread's TM x TN results are groups of four
 *   rows and four columns. The fragments of step i + 1 are read during the multiplications of step
 *   i. These run in serpentines: an element of A stays an operand for a whole row, and at the turn
 *   an element of B does (see 11_registers).
 * - Slices. With SLICES > 1, several groups of warps work on the same tile of C, each with its part
 *   of every step. Shared memory adds their sums at the end (12_slices). */
#pragma once

#include <stdint.h>

#include "gemm/async.cuh"
#include "gemm/launch.cuh"

/* C = alpha A B + beta C, row-major: A m x k, B k x n. */
struct problem {
    const float *__restrict__ A;
    const float *__restrict__ B;
    float *C;
    int m, n, k;
    float alpha, beta;
};

/* Sizes of tiles: the block's BM x BN x BK, a warp's WM x WN, a thread's TM x TN. */
template <int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_, int SLICES_, int STAGES_,
          int BLOCKS_>
struct shape {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, TM = TM_, TN = TN_;
    static constexpr int SLICES = SLICES_, STAGES = STAGES_;
    static constexpr int BLOCKS = BLOCKS_; /* blocks that fit on a multiprocessor at once */
    static constexpr int WARPS = BM / WM * (BN / WN), THREADS = WARPS * 32 * SLICES;
    static constexpr int LANES_M = WM / TM, LANES_N = WN / TN;
    static constexpr int DEPTH = BK / SLICES;   /* a thread's steps of k */
    static constexpr int PITCH = BM + 4;        /* between rows of A's transposed tile */
    static constexpr int A_FLOATS = BK * PITCH; /* B's tile is behind A's */
    static constexpr int STAGE = A_FLOATS + BK * BN;
    static constexpr int RING = STAGE * STAGES;
    static constexpr int SUMS = SLICES * BM * BN / (TM / 4); /* of one group */
    static constexpr size_t SHARED = sizeof(float) * (RING > SUMS ? RING : SUMS);
    static_assert(LANES_M * LANES_N == 32 && TM % 4 == 0 && TN % 4 == 0 && DEPTH % 2 == 0,
                  "lanes cover the warp's tile; fragments alternate");
    static_assert(BK % 8 == 0 && THREADS % BN == 0, "copies come out even");
};

/* Returns the number of steps of BK; one empty step if k is 0. The first step is the remainder. */
template <class S> static __host__ __device__ __forceinline__ int steps_of(int k) {
    return k > 0 ? (k - 1) / S::BK + 1 : 1;
}
template <class S> static __device__ __forceinline__ int first_depth(int k) {
    return k - (k - 1) / S::BK * S::BK;
}

/* A thread's place in its block's tile. */
template <class S> struct place {
    int slice, row, col; /* first row and column of its first group of four */
    __device__ __forceinline__ place() {
        int warp = threadIdx.x / 32 % S::WARPS, lane = threadIdx.x % 32;
        slice = threadIdx.x / 32 / S::WARPS;
        row = warp / (S::BN / S::WN) * S::WM + lane / S::LANES_N * 4;
        col = warp % (S::BN / S::WN) * S::WN + lane % S::LANES_N * 4;
    }
};

/* Computes the tile of A B at (row0, col0) over the steps [step0, step1) of k, or a thread's slice
 * of it. `ring` is S::SHARED bytes of shared memory. */
template <class S, bool VEC>
static __device__ __forceinline__ void multiply_tile(const problem &p, int row0, int col0,
                                                     int step0, int step1, float *ring,
                                                     float (&sum)[S::TM][S::TN]) {
    constexpr int TM = S::TM, TN = S::TN, BK = S::BK, STAGES = S::STAGES;
    constexpr int FLOATS = VEC ? 4 : 1; /* per copy of B */
    constexpr int A_ROWS = S::THREADS / 8, A_PASSES = (S::BM + A_ROWS - 1) / A_ROWS;
    constexpr int B_LANES = S::BN / FLOATS, B_ROWS = S::THREADS / B_LANES;
    constexpr int B_PASSES = (BK + B_ROWS - 1) / B_ROWS;
    constexpr bool A_EVEN = S::BM % A_ROWS == 0, B_EVEN = BK % B_ROWS == 0;
    const int tid = threadIdx.x, steps = step1 - step0, first = first_depth<S>(p.k);

    /* the elements that this thread copies, and how many rows of A and columns of B remain */
    const int a_k = tid % 8, a_row = tid / 8;
    const int b_col = tid % B_LANES * FLOATS, b_row = tid / B_LANES;
    const int k0 = step0 == 0 ? 0 : first + (step0 - 1) * BK;
    const float *a_from = p.A + (size_t)(row0 + a_row) * p.k + k0 + a_k;
    const float *b_from = p.B + (size_t)(k0 + b_row) * p.n + col0 + b_col;
    const size_t a_on = (size_t)A_ROWS * p.k, b_on = (size_t)B_ROWS * p.n,
                 b_whole = (size_t)BK * p.n;
    const int a_left = p.m - row0 - a_row, b_left = p.n - col0 - b_col;
    const unsigned shared = (unsigned)__cvta_generic_to_shared(ring);
    const unsigned a_to = shared + 4 * (a_k * S::PITCH + a_row);
    const unsigned b_to = shared + 4 * (S::A_FLOATS + b_row * S::BN + b_col);
    /* copies to the stage `at` bytes into the ring */
    auto copy_step = [&](unsigned at, int depth) {
#pragma unroll
        for (int q = 0; q < BK; q += 8)
#pragma unroll
            for (int e = 0; e < A_PASSES; e++)
                if (A_EVEN || a_row + e * A_ROWS < S::BM)
                    async_copy<1>(a_to + at + 4 * (q * S::PITCH + e * A_ROWS),
                                  a_from + e * a_on + q, e * A_ROWS < a_left && q + a_k < depth);
#pragma unroll
        for (int e = 0; e < B_PASSES; e++)
            if (B_EVEN || b_row + e * B_ROWS < BK)
                async_copy<FLOATS>(b_to + at + 4 * e * B_ROWS * S::BN, b_from + e * b_on,
                                   b_left > 0 && b_row + e * B_ROWS < depth);
    };

    if (steps < STAGES) /* unused reads after the last step need valid values */
        copy_step(4 * steps * S::STAGE, 0);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        int depth = s == 0 && step0 == 0 ? first : BK;
        if (s < steps) {
            copy_step(4 * s * S::STAGE, depth);
            a_from += depth;
            b_from += (size_t)depth * p.n;
        }
        async_commit();
    }
    unsigned write_at = 4 * (STAGES - 1) * S::STAGE;
    /* Copies into the stage that was read last. Always closes a group, so that the number of groups
     * stays right. */
    auto copy_next = [&](int step) {
        if (step + STAGES - 1 < steps) {
            copy_step(write_at, BK);
            a_from += BK;
            b_from += b_whole;
            write_at += 4 * S::STAGE;
            if (write_at == 4 * S::RING)
                write_at = 0;
        }
        async_commit();
    };

    place<S> mine;
    float a[2][TM], b[2][TN];
    const char *const base = (const char *)ring;
    const char *a_at = base + 4 * (mine.slice * S::DEPTH * S::PITCH + mine.row);
    const char *b_at = base + 4 * (S::A_FLOATS + mine.slice * S::DEPTH * S::BN + mine.col);
    const char *const a_end = a_at + 4 * S::RING;
    auto read_fragments = [&](int f, int i) {
#pragma unroll
        for (int g = TN / 4 - 1; g >= 0; g--)
            *(float4 *)&b[f][g * 4] =
                *(const float4 *)(b_at + 4 * (i * S::BN + g * S::LANES_N * 4));
#pragma unroll
        for (int g = TM / 4 - 1; g >= 0; g--)
            *(float4 *)&a[f][g * 4] =
                *(const float4 *)(a_at + 4 * (i * S::PITCH + g * S::LANES_M * 4));
    };
    async_wait<STAGES - 2>();
    __syncthreads();
    read_fragments(0, 0);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int i = 0; i < S::DEPTH; i++) {
            if (i == S::DEPTH - 1) { /* the next tiles have arrived; this one's are read */
                async_wait<STAGES - 2>();
                __syncthreads();
                a_at += 4 * S::STAGE, b_at += 4 * S::STAGE;
                if (a_at == a_end)
                    a_at -= 4 * S::RING, b_at -= 4 * S::RING;
            }
            read_fragments((i + 1) % 2, (i + 1) % S::DEPTH);
            if (i == 0)
                copy_next(step);
#pragma unroll
            for (int x = 0; x < TM * TN; x++) {
                int row = TM - 1 - x / TN, col = x / TN % 2 == 0 ? x % TN : TN - 1 - x % TN;
                sum[row][col] += a[i % 2][row] * b[i % 2][col];
            }
        }
    }
}

/* C = alpha v + keep C at `row` from column `col` on: four results if VEC, else v.x. If keep is 0,
 * C is not read. If OTHERS, other blocks have written to it, so the read bypasses L1. */
template <bool VEC, bool OTHERS>
static __device__ __forceinline__ void store_result(const problem &p, int row, int col, float keep,
                                                    float4 v) {
    if (row >= p.m)
        return;
    float *to = &p.C[(size_t)row * p.n + col];
    if constexpr (VEC) {
        if (col >= p.n)
            return;
        float4 old = keep == 0 ? make_float4(0, 0, 0, 0)
                     : OTHERS  ? __ldcg((const float4 *)to)
                               : *(const float4 *)to;
        v.x = p.alpha * v.x + keep * old.x;
        v.y = p.alpha * v.y + keep * old.y;
        v.z = p.alpha * v.z + keep * old.z;
        v.w = p.alpha * v.w + keep * old.w;
        *(float4 *)to = v;
    } else {
        if (col < p.n)
            *to = p.alpha * v.x + (keep == 0 ? 0 : keep * (OTHERS ? __ldcg(to) : *to));
    }
}

/* Calls put(row, column, sums) for every result of the tile, four at a time if VEC, else one. Whole
 * vectors of one slice go directly. Others go through `ring`, a group of four rows per thread at a
 * time. So slices are added in a fixed order, and single results are stored as neighbours of their
 * row. */
template <class S, bool VEC, class F>
static __device__ __forceinline__ void each_result(float *ring, float (&sum)[S::TM][S::TN], F put) {
    place<S> mine;
    if constexpr (S::SLICES == 1 && VEC) {
#pragma unroll
        for (int r = 0; r < S::TM; r++)
#pragma unroll
            for (int g = 0; g < S::TN / 4; g++)
                put(mine.row + r / 4 * S::LANES_M * 4 + r % 4, mine.col + g * S::LANES_N * 4,
                    *(float4 *)&sum[r][g * 4]);
    } else {
        constexpr int BAND = S::LANES_M * 4, ROWS = S::BM / (S::TM / 4); /* of a group */
        const int slice_floats = ROWS * S::BN;
        async_wait<0>();
        __syncthreads(); /* the ring is free for other use */
        float *own = ring + mine.slice * slice_floats +
                     (mine.row / S::WM * BAND + mine.row % S::WM) * S::BN + mine.col;
#pragma unroll
        for (int group = 0; group < S::TM / 4; group++) {
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int g = 0; g < S::TN / 4; g++)
                    *(float4 *)&own[r * S::BN + g * S::LANES_N * 4] =
                        *(float4 *)&sum[group * 4 + r][g * 4];
            __syncthreads();
            constexpr int STEP = VEC ? 4 : 1; /* what neighbours store lies side by side */
            for (int at = threadIdx.x * STEP; at < slice_floats; at += S::THREADS * STEP) {
                float4 v = {};
#pragma unroll
                for (int slice = 0; slice < S::SLICES; slice++) {
                    const float *from = &ring[slice * slice_floats + at];
                    if constexpr (VEC) {
                        float4 w = *(const float4 *)from;
                        v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
                    } else
                        v.x += *from;
                }
                int r = at / S::BN;
                put(r / BAND * S::WM + group * BAND + r % BAND, at % S::BN, v);
            }
            __syncthreads();
        }
    }
}

/* Stores a tile's sums in C. */
template <class S, bool VEC, bool OTHERS>
static __device__ __forceinline__ void store_tile(const problem &p, int row0, int col0, float keep,
                                                  float *ring, float (&sum)[S::TM][S::TN]) {
    each_result<S, VEC>(ring, sum, [&](int row, int col, float4 v) {
        store_result<VEC, OTHERS>(p, row0 + row, col0 + col, keep, v);
    });
}

template <class S> static __host__ __device__ __forceinline__ int tiles_down(const problem &p) {
    return (p.m - 1) / S::BM + 1;
}
template <class S> static __host__ __device__ __forceinline__ int tiles_across(const problem &p) {
    return (p.n - 1) / S::BN + 1;
}

/* Returns true if offsets within a tile, and the number of tiles, fit in an int. */
template <class S> static inline bool fits(const problem &p) {
    return p.k <= 0x7fffffff / S::BM && p.n <= 0x7fffffff / S::BK &&
           (p.m == 0 || p.n == 0 || (long long)tiles_down<S>(p) * tiles_across<S>(p) <= 0x7fffffff);
}

/* Returns true if B and C can be accessed 16 bytes at a time. */
static inline bool whole_vectors(const problem &p) {
    return p.n % 4 == 0 && ((uintptr_t)p.B | (uintptr_t)p.C) % 16 == 0;
}
