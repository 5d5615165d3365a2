/* C = alpha A B + beta C by persistent blocks: one warp fetches, eight multiply.
 *
 * The idea: remove everything but multiplications.
 * - Roles, as in tensor/5_roles: one thread fetches whole tiles by TMA. The multiplying warps
 *   neither copy nor check edges. Two barriers per buffer (full, empty) let a warp run ahead of
 *   slower ones, but 11_registers has a block barrier at each step.
 * - A's tile is not transposed. A thread reads four steps of k of a row at once, into 8 x 4
 *   registers instead of 2 x 8. The number of reads stays, but each is a hundred multiplications
 *   ahead of its use. TMA's 32-byte swizzle puts the eight rows that a warp reads into different
 *   banks.
 * - Register banks by design (see 11_registers). A 16-byte read puts element c of B's row and
 *   element k of A's into registers with the parity of c and k. If the sums of column c have the
 *   other parity, no multiplication within a row conflicts. At a turn of the serpentine the new
 *   operand is A's, so the turn must be in a column with the parity of k. column() has this order.
 * - The compiler finds such registers only if it keeps the order, but it schedules all steps
 *   between two branches together. overlap_next() between the steps prevents that for one issue
 *   slot: 24 conflicts in 8 steps instead of 353 (11_registers: 89). It allows the next kernel of
 *   the stream to start, which has no effect before registers are free at the end.
 * - One block per multiprocessor. The fetching warp continues with the next tile while results are
 *   stored, and the last tiles are shared as in 13_stream_k.
 *
 * Predicted for 4096 x 4096 x 4096: 1,110 instructions and 24 conflicts for 1,024 FFMA
 * (11_registers: 1,115 and 89), 6 %; no idle multiprocessors in the last wave, 3 %: 58.4 TFLOP/s
 * after 53.5. Measured on an H200: 57.2 (cuBLAS 51.1); 8192: 57.9 after 53.9 (51.1). 93 % of the
 * issue slots are used, 92 % of those for multiplications.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. k up to 2^24 - 1, n up to
 * 2^26 - 1. Sectors/request: stores and loads of C 16. */
#include "gemm/shares.cuh"
#include "overlap.h"
#include "tensor/common/hopper.cuh"

enum { BM = 128, BN = 256, BK = 8, STAGES = 8 };
enum { TM = 8, TN = 16, WARP_M = 64, WARP_N = 64, LANES_M = 8, LANES_N = 4 };
enum { A_BYTES = BM * BK * 4, STAGE_BYTES = A_BYTES + BK * BN * 4 };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + 1024 /* to align them */ };
/* Only a whole warpgroup can give registers away. One thread of it works. */
enum { MULTIPLIERS = 256, THREADS = MULTIPLIERS + 128 };
enum { LIMIT_K = (1 << 24) - 1, LIMIT_N = (1 << 26) - 1 }; /* as for the previous rungs */
enum { COST = 16 /* of adding parts of a tile, in steps */ };

/* Steps [begin, end) of a tile. */
struct part {
    int tile, begin, end;
};

/* The work of a block in order: every gridDim.x-th of the first `whole` tiles, then its share of
 * the steps of all others, from the last tile of the share to its first. */
struct parts {
    int steps, whole, tile, begin, end;
    __device__ __forceinline__ parts(int tiles, int whole_, int steps_)
        : steps(steps_), whole(whole_), tile(blockIdx.x) {
        long long rest = (long long)(tiles - whole) * steps;
        begin = (int)(rest * blockIdx.x / gridDim.x);
        end = (int)(rest * (blockIdx.x + 1) / gridDim.x);
    }
    __device__ __forceinline__ bool next(part &p) {
        if (tile < whole) {
            p = {tile, 0, steps};
            tile += gridDim.x;
            return true;
        }
        if (begin >= end)
            return false;
        int nth = (end - 1) / steps, origin = nth * steps;
        p = {whole + nth, max(begin - origin, 0), end - origin};
        end = origin + p.begin;
        return true;
    }
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/* Returns which of a row's 16 columns is the nth in a step with even or odd k. */
static __device__ constexpr int column(int nth, bool odd) {
    if (odd)
        return nth < 2 ? 1 - nth : nth;           /* 1 0 2 3 ... 14 15 */
    return nth < TN - 2 ? nth : 2 * TN - 3 - nth; /* 0 1 ... 12 13 15 14 */
}

static __device__ __forceinline__ void load_four(float (&to)[4], uint32_t from) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}
/* A barrier of the multiplying warps. */
static __device__ __forceinline__ void meet(void) {
    asm volatile("bar.sync 1, %0;" ::"n"((int)MULTIPLIERS) : "memory");
}
/* The fetching thread: all steps of all parts, and an empty one at the end, which is read ahead. */
static __device__ __forceinline__ void fetch_parts(const CUtensorMap *A, const CUtensorMap *B,
                                                   parts work, int tiles_m, int tiles_n,
                                                   uint32_t tiles, uint32_t full, uint32_t empty) {
    Ring<STAGES> ring;
    part p;
    while (work.next(p)) {
        int2 tile = tile_of(p.tile, tiles_m, tiles_n);
        for (int step = p.begin; step < p.end; step++, ring.next()) {
            uint32_t to = tiles + ring.stage * STAGE_BYTES, filled = full + 8 * ring.stage;
            barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1);
            barrier_expect(filled, STAGE_BYTES);
            tma_load(to, A, tile.x * BM, step * BK, filled);
            tma_load(to + A_BYTES, B, step * BK, tile.y * BN, filled);
        }
    }
    barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1);
    barrier_arrive(full + 8 * ring.stage);
}

/* C = alpha sum + keep C for this thread's rows (every LANES_M-th) and groups of four columns. */
static __device__ __forceinline__ void store_sums(const float (&sum)[TM][TN], float *C, int row,
                                                  int col, int m, int n, float alpha, float keep) {
#pragma unroll
    for (int r = 0; r < TM; r++)
#pragma unroll
        for (int g = 0; g < TN / 4; g++) {
            int i = row + r * LANES_M, j = col + g * LANES_N * 4;
            if (i >= m || j >= n)
                continue;
            float4 *to = (float4 *)&C[(size_t)i * n + j], old = make_float4(0, 0, 0, 0);
            if (keep != 0)
                old = __ldcg(to); /* this block's cache lacks other blocks' writes */
            *to = make_float4(
                alpha * sum[r][g * 4] + keep * old.x, alpha * sum[r][g * 4 + 1] + keep * old.y,
                alpha * sum[r][g * 4 + 2] + keep * old.z, alpha * sum[r][g * 4 + 3] + keep * old.w);
        }
}
#endif

/* arrived[t]: steps of the t-th shared tile that are in C. */
static __global__ void __launch_bounds__(THREADS, 1)
    sgemm_fetcher(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                  float *C, int m, int n, int k, float alpha, float beta, int whole, int *arrived) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    const uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    const uint32_t full = tiles + STAGES * STAGE_BYTES, empty = full + STAGES * 8;
    const int tiles_m = (m - 1) / BM + 1, tiles_n = (n - 1) / BN + 1, steps = (k - 1) / BK + 1;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init_ring<STAGES>(full, empty, MULTIPLIERS / 32);
    __syncthreads();
    parts work(tiles_m * tiles_n, whole, steps);
    if (threadIdx.x >= MULTIPLIERS) {
        registers_down_to<24>();
        if (threadIdx.x == MULTIPLIERS)
            fetch_parts(&A, &B, work, tiles_m, tiles_n, tiles, full, empty);
        return;
    }
    registers_up_to<240>();

    /* Piece q of row r in A's tile is at piece q ^ (r >> 2 & 1). */
    const int row = warp / (BN / WARP_N) * WARP_M + lane / LANES_N;
    const int col = warp % (BN / WARP_N) * WARP_N + lane % LANES_N * 4;
    const uint32_t a_at = tiles + row * BK * 4 + (row >> 2 & 1) * 16;
    const uint32_t b_at = tiles + A_BYTES + col * 4;
    uint32_t stage_at = 0, filled = full;
    int parity = 0;
    float a[TM][4], b[2][TN / 4][4];
    barrier_wait(filled, parity);
#pragma unroll
    for (int r = 0; r < TM; r++)
        load_four(a[r], a_at + r * LANES_M * BK * 4);
#pragma unroll
    for (int g = 0; g < TN / 4; g++)
        load_four(b[0][g], b_at + g * LANES_N * 16);

    part p;
#pragma unroll 1
    while (work.next(p)) {
        float sum[TM][TN] = {};
#pragma unroll 1
        for (int step = p.begin; step < p.end; step++) {
#pragma unroll
            for (int i = 0; i < BK; i++) {
                const uint32_t emptied = filled + 8 * STAGES;
                if (i == BK - 1) { /* reads from here on are for the next step */
                    stage_at += STAGE_BYTES, filled += 8;
                    if (filled == empty)
                        stage_at = 0, filled = full, parity ^= 1;
                    barrier_wait(filled, parity);
                }
#pragma unroll
                for (int g = 0; g < TN / 4; g++)
                    load_four(b[(i + 1) % 2][g],
                              b_at + stage_at + (i + 1) % BK * BN * 4 + g * LANES_N * 16);
                overlap_next(); /* keeps the steps apart; see above */
                const uint32_t a_next = (a_at + stage_at) ^ ((i + 1) % BK / 4 * 16);
#pragma unroll
                for (int r = TM - 1; r >= 0; r--) {
#pragma unroll
                    for (int x = 0; x < TN; x++) {
                        int c = column(r % 2 ? x : TN - 1 - x, i % 2);
                        sum[r][c] += a[r][i % 4] * b[i % 2][c / 4][c % 4];
                    }
                    if (i % 4 == 3)
                        load_four(a[r], a_next + r * LANES_M * BK * 4);
                }
                if (i == BK - 1) {
                    __syncwarp();
                    if (lane == 0)
                        barrier_arrive(emptied);
                }
            }
        }
        int2 tile = tile_of(p.tile, tiles_m, tiles_n);
        int *done = &arrived[p.tile - whole];
        if (p.begin > 0) { /* the earlier steps belong to another block and come first */
            if (threadIdx.x == 0)
                while (*(volatile int *)done != p.begin) {
                }
            meet();
        }
        store_sums(sum, C, tile.x * BM + row, tile.y * BN + col, m, n, alpha,
                   p.begin > 0 ? 1 : beta);
        if (p.end < steps) {
            __threadfence(); /* this thread's part of C, before the flag */
            meet();          /* of every thread */
            if (threadIdx.x == 0)
                *(volatile int *)done = p.end;
        }
    }
#endif
}

extern "C" cudaError_t wbk_sgemm_fetcher(const float *A, const float *B, float *C, int m, int n,
                                         int k, float alpha, float beta, cudaStream_t stream) {
    if (m > 0x7fffffff - BM || k > LIMIT_K || n > LIMIT_N)
        return cudaErrorInvalidValue;
    bool done;
    cudaError_t status =
        begin(sgemm_fetcher, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b;
    if (!done)
        status = box_map(&a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {A, m, k}, BM, BK,
                         CU_TENSOR_MAP_SWIZZLE_32B);
    if (!done && status == cudaSuccess)
        status = box_map(&b, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {B, k, n}, BK, BN,
                         CU_TENSOR_MAP_SWIZZLE_NONE);
    if (done || status != cudaSuccess)
        return status;
    const int processors = multiprocessors();
    long long all = ((m - 1) / BM + 1LL) * ((n - 1) / BN + 1);
    if (all > 0x7fffffff - processors)
        return cudaErrorInvalidValue;
    const int tiles = (int)all;
    int shared = tiles_to_share(tiles, (k - 1) / BK + 1, processors, COST);
    int *arrived = shared > 0 ? zeroed_flags(shared, stream) : nullptr;
    if (!arrived)
        shared = 0;
    int blocks = arrived || tiles > processors ? processors : tiles;
    sgemm_fetcher<<<blocks, THREADS, SHARED_BYTES, stream>>>(a, b, C, m, n, k, alpha, beta,
                                                             tiles - shared, arrived);
    status = cudaGetLastError();
    if (arrived)
        cudaFreeAsync(arrived, stream);
    return status;
}
