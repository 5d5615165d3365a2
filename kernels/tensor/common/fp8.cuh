/* fp8.cuh: products of fp8 (e4m3) on wgmma by persistent blocks (see 15_fp8). */
#pragma once

#include <cuda_fp8.h>

#include <type_traits>

#include "hopper.cuh"

namespace fp8 {

typedef __nv_fp8_e4m3 element;

enum { BM = 128, BK = 128, THREADS = 384 };
enum { PART = 64, PART_BYTES = 16 * PART * 2 }; /* a warp's 16 rows of 64 columns of C */

template <int BN> struct Block {
    static constexpr int STAGES = BN == 128 ? 6 : 4, PARTS = BN / PART;
    static constexpr int A_BYTES = BM * BK, STAGE_BYTES = A_BYTES + BN * BK;
    static constexpr int OUT_BYTES = 8 * 2 * PART_BYTES; /* two parts a warp */
    static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024;
};

/* The tensor maps; for TMA, B's columns are rows. */
struct Maps {
    CUtensorMap a, b, c;
};

/* C = factor A B + beta C. factor: alpha times both scales (null: 1). */
template <class Out> struct Product {
    Out *C;
    int m, n, k;
    float alpha, beta;
    const float *scale_a, *scale_b;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Loads 16 rows of A, 128 bytes each, from shared memory at `from` into wgmma's register layout. */
static __device__ __forceinline__ void load_rows(uint32_t (&a)[BK / 32][4], uint32_t from) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int kk = 0; kk < BK / 32; kk++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[kk][0]), "=r"(a[kk][1]), "=r"(a[kk][2]), "=r"(a[kk][3])
                     : "r"(from + lane % 16 * 128 + (((2 * kk + lane / 16) ^ lane % 8) * 16))
                     : "memory");
}

/* Warpgroups 1 and 2 issue products in turn, 1 first, after 2 has passed the turn. */
static __device__ __forceinline__ void await_turn(int group) {
    asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
}
static __device__ __forceinline__ void pass_turn(int group) {
    asm volatile("bar.arrive %0, 256;" ::"r"(4 - group) : "memory");
}

static __device__ __forceinline__ void store_two(float2 *to, float x, float y) {
    *to = make_float2(x, y);
}
static __device__ __forceinline__ void store_two(__nv_bfloat162 *to, float x, float y) {
    *to = __floats2bfloat162_rn(x, y);
}

/* Stores a warpgroup's results in rows of C with any start, as pairs if all rows have even
 * lengths. */
template <int N, class Out>
static __device__ __forceinline__ void store_anywhere(const float (&d)[N], Out *C, int row, int col,
                                                      int m, int n, float factor, float beta) {
    typedef typename std::conditional<sizeof(Out) == 4, float2, __nv_bfloat162>::type two;
    row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
    col += threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < N; i += 2) {
        int r = row + i % 4 / 2 * 8, c = col + i / 4 * 8;
        if (r >= m || c >= n)
            continue;
        Out *to = &C[(size_t)r * n + c];
        float x = factor * d[i], y = factor * d[i + 1];
        if (beta != 0) {
            x += beta * float(to[0]);
            y += c + 1 < n ? beta * float(to[1]) : 0;
        }
        if (n % 2 == 0)
            store_two((two *)to, x, y);
        else {
            to[0] = Out(x);
            if (c + 1 < n)
                to[1] = Out(y);
        }
    }
}

#endif

/* FAST: the sums stay in the tensor cores, with about 14 bits. Otherwise each 128 products' sums
 * are added to fp32 sums, for 64 x 128 results at a time to save registers. HALVES: the two halves
 * of a step share A's rows in registers, and the warpgroups take turns. TO_BOXES: C is bf16 with
 * rows of multiples of 16 bytes for TMA, and beta is 0, because there are no registers for C's old
 * elements. */
template <int BN, bool FAST, bool TO_BOXES, class Out, bool HALVES = false>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_fp8(const __grid_constant__ Maps maps, const Product<Out> product) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef Block<BN> Is;
    constexpr int STAGES = Is::STAGES, PARTS = Is::PARTS;
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t out = tiles + STAGES * Is::STAGE_BYTES;
    uint32_t full = out + Is::OUT_BYTES, empty = full + STAGES * 8;
    const int m = product.m, n = product.n;
    int rows = (m - 1) / BM + 1, cols = (n - 1) / BN + 1, steps = (product.k - 1) / BK + 1;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;
    Ring<STAGES> ring;

    /* a tile's first row and column */
    auto corner_of = [&](int tile) {
        int2 at = quick_tile_of(tile, rows, cols);
        return make_int2(at.x * BM, at.y * BN);
    };
    /* the fetching thread's next step; false at the end */
    int tile = blockIdx.x, step_fetched = 0;
    int2 corner = {};
    bool backwards = false;
    auto fetch = [&] {
        uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
        uint32_t barrier = full + 8 * ring.stage;
        int depth = (backwards ? steps - 1 - step_fetched : step_fetched) * BK;
        barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* passes at first */
        barrier_expect(barrier, Is::STAGE_BYTES);
        tma_load(a, &maps.a, corner.x, depth, barrier);
        tma_load(b, &maps.b, corner.y, depth, barrier);
        ring.next();
        if (++step_fetched < steps)
            return true;
        step_fetched = 0;
        backwards = !backwards;
        tile += gridDim.x;
        if (tile >= rows * cols)
            return false;
        corner = corner_of(tile);
        return true;
    };

    bool more = true;
    if (threadIdx.x == 0) {
        tma_prefetch(&maps.a);
        tma_prefetch(&maps.b);
        init_ring<STAGES>(full, empty, 2);
        corner = corner_of(tile);
        more = fetch(); /* before the block's first barrier */
    }
    __syncthreads();

    if (group == 0) {
        registers_down_to<40>();
        while (tid == 0 && more)
            more = fetch();
    } else {
        registers_up_to<232>();
        float sum[BN / 2];
        __nv_bfloat162 rounded[BN / 4]; /* the last tile's results, until they are stored */
        bool pending = false;
        int row = 0, col = 0, last = 0; /* the place of `rounded`; the previous step's stage */
        int turn = 0;                   /* the next of the two buffers */
        int warp_rows = (group - 1) * 64 + tid / 32 * 16; /* the warp's first row in the tile */
        out += (group - 1) * (4 * 2 * PART_BYTES) + tid / 32 * (2 * PART_BYTES);
        float factor = product.alpha;
        if (product.scale_a)
            factor *= *product.scale_a;
        if (product.scale_b)
            factor *= *product.scale_b;

        auto give_back = [&](int stage) {
            if (tid == 0)
                barrier_arrive(empty + 8 * stage);
        };
        auto operand_a = [&](int kk) {
            uint32_t a = tiles + ring.stage * Is::STAGE_BYTES;
            return wgmma_operand(a + (group - 1) * (64 * 128) + kk * 32);
        };
        auto operand_b = [&](int first_column, int kk) {
            uint32_t b = tiles + ring.stage * Is::STAGE_BYTES + Is::A_BYTES;
            return wgmma_operand(b + first_column * 128 + kk * 32);
        };
        auto put_away = [&](int part) {
            uint32_t buffer = out + turn * PART_BYTES;
            turn ^= 1; /* alternates from tile to tile too, which may have three parts */
            send_part_in_turn(buffer, rounded, part,
                              [&] { tma_store(&maps.c, row, col + part * PART, buffer); });
        };
        auto multiply = [&](int step) {
            barrier_wait(full + 8 * ring.stage, ring.parity);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < BK / 32; kk++)
                wgmma_fp8(sum, operand_a(kk), operand_b(0, kk), step + kk > 0);
            wgmma_commit();
            wgmma_wait<1>(); /* the previous step is done */
            if (step > 0)
                give_back(last);
            last = ring.stage;
            ring.next();
        };
        /* The same with fp32 sums, N columns at a time. `first`: the sums are empty, and old
         * results leave. */
        constexpr int N = BN == 192 ? 192 : 128;
        auto multiply_and_add = [&](auto first) {
            constexpr bool FIRST = decltype(first)::value;
            uint32_t a[BK / 32][4];
            barrier_wait(full + 8 * ring.stage, ring.parity);
            if constexpr (HALVES)
                load_rows(a, tiles + ring.stage * Is::STAGE_BYTES + warp_rows * 128);
#pragma unroll
            for (int at = 0; at < BN; at += N) {
                float some[N / 2];
                if (HALVES)
                    await_turn(group);
                wgmma_fence();
#pragma unroll
                for (int kk = 0; kk < BK / 32; kk++)
                    if constexpr (HALVES)
                        wgmma_fp8(some, a[kk], operand_b(at, kk), kk > 0);
                    else
                        wgmma_fp8(some, operand_a(kk), operand_b(at, kk), kk > 0);
                wgmma_commit();
                if (HALVES)
                    pass_turn(group);
                if (TO_BOXES && FIRST && pending) {
#pragma unroll
                    for (int part = at / PART; part < (at + N) / PART; part++)
                        put_away(part);
                }
                wgmma_wait<0>();
                if (at + N == BN)
                    give_back(ring.stage);
#pragma unroll
                for (int i = 0; i < N / 2; i++)
                    sum[at / 2 + i] = FIRST ? some[i] : sum[at / 2 + i] + some[i];
            }
            ring.next();
        };

        if (HALVES && group == 2)
            pass_turn(group);
        for (int p = blockIdx.x; p < rows * cols; p += gridDim.x) {
            if constexpr (FAST) {
#pragma unroll
                for (int part = 0; part < PARTS; part++) {
                    if (part < steps)
                        multiply(part);
                    if (TO_BOXES && pending)
                        put_away(part);
                }
            } else
                multiply_and_add(std::true_type());
            int2 at = corner_of(p);
            row = at.x + warp_rows;
            col = at.y;
            if constexpr (FAST) {
#pragma unroll 4
                for (int step = PARTS; step < steps; step++)
                    multiply(step);
                wgmma_wait<0>();
                give_back(last);
            } else {
                for (int step = 1; step < steps; step++)
                    multiply_and_add(std::false_type());
            }
            if constexpr (TO_BOXES) {
                round_results(rounded, sum, product.C, row, col, m, n, factor, 0);
                pending = true;
            } else
                store_anywhere(sum, product.C, row - tid / 32 * 16, col, m, n, factor,
                               product.beta);
        }
        if (HALVES && group == 1)
            await_turn(group); /* so that no turn remains */
        if constexpr (TO_BOXES) {
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                put_away(part);
            if (lane == 0)
                tma_store_wait<0>();
        }
    }
#endif
}

/* Requires rows of A and columns of B of multiples of 16 bytes, and aligned pointers. */
template <int BN, bool FAST, bool TO_BOXES, class Out, bool HALVES = false>
static cudaError_t multiply(const element *A, const element *B, const Product<Out> &p,
                            int processors, cudaStream_t stream) {
    typedef Block<BN> Is;
    auto *kernel = gemm_fp8<BN, FAST, TO_BOXES, Out, HALVES>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Is::SHARED_BYTES);
    Maps maps = {};
    if (status == cudaSuccess)
        status = tensor_map(&maps.a, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, {A, p.m, p.k}, BM, BK);
    if (status == cudaSuccess)
        status = tensor_map(&maps.b, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, {B, p.n, p.k}, BN, BK);
    if (TO_BOXES && status == cudaSuccess)
        status =
            tensor_map(&maps.c, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, {p.C, p.m, p.n}, 16, PART);
    if (status != cudaSuccess)
        return status;
    /* only as many blocks as the last round keeps busy, which takes no longer */
    int tiles = ((p.m - 1) / BM + 1) * ((p.n - 1) / BN + 1);
    int blocks = (int)((tiles - 1) / rounds_of(p.m, p.n, BM, BN, processors)) + 1;
    kernel<<<blocks, THREADS, Is::SHARED_BYTES, stream>>>(maps, p);
    return cudaGetLastError();
}

} // namespace fp8
