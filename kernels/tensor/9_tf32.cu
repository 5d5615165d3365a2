/* C = alpha A B + beta C, floats multiplied as TF32: one operand comes through registers.
 *
 * The idea: TF32 has a float's range and the leading 11 of its 24 significant bits, and half the
 * rate of bf16. For 32-bit types wgmma needs both operands' rows along k, but B's rows run across
 * it. So the product is transposed: C' = B' A'. A is then the operand in shared memory, and B' may
 * come from registers. Each lane reads its elements of B from the tile with 8-byte loads without
 * bank conflicts:
 * - Columns of B are rows of the product in any order. Lanes of a group of four read rows k, k+1,
 *   k+2, k+3, whose swizzles differ in two bits, so groups read pieces that differ in the third.
 *   The four-byte elements of a piece go to fragment rows r and r + 8.
 * - The results are then pairs of neighbouring columns, and are stored as they are.
 *
 * A block computes 256 x 128 results, 32 deep per step, with the roles of 5_roles, and takes tile
 * after tile as in 7_persistent. The last tiles are shared as in 8_stream_k. TMA rounds both
 * operands to TF32 (to nearest).
 *
 * Error: an input is off by at most 2^-11 of itself, so the result by at most (2^-10 + 2^-22) sum
 * |a b|, besides fp32 sums, which tensor cores truncate. Measured against fp64, reals from [-1, 1),
 * k = 4096: 2.6e-4 of the result's root mean square, and at worst 2.3e-5 sum |a b|; with [0, 1),
 * 2.8e-5 of the result. cuBLAS's TF32 has the same errors.
 *
 * Predicted for 4096 each on an H200: half of 7_persistent's rate in bf16, 399 TFLOP/s. Measured:
 * 378 (cuBLAS 368), 8192 each 367 (353). A warpgroup has 64 columns of B, not 128, because shared
 * memory delivers only 128 bytes per cycle. If such tiles leave multiprocessors idle, they are 128
 * x 64 with one warpgroup: 1024 each 164 after 81 (cuBLAS 141). Sharing gains 2.8 % at 8192 (1.040
 * of cuBLAS) and 19 % at 3072 (1.155). It is a separate kernel, because even its unused code
 * delayed the start of a product of 1024 by 2.4 microseconds.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include <type_traits>

#include "common/pieces.cuh"
#include "common/turned.cuh"

using turned::BK;
using turned::BOX_BYTES;
enum { PIECE_ROWS = 128 /* of A, per copy */ };

/* 256 x 128 results by two warpgroups, or 128 x 64 by one, 64 columns each. */
template <int BM, int GROUPS> struct Block {
    static constexpr int BN = GROUPS * 64, STAGES = BM == 256 ? 4 : 8, THREADS = 128 * (GROUPS + 1);
    static constexpr int A_BYTES = BM * BK * 4, STAGE_BYTES = A_BYTES + BK * BN * 4;
    static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + 1024 /* to align them */;
};

template <int BM, int GROUPS, typename Work>
static __global__ void __launch_bounds__(128 * (GROUPS + 1), 1)
    gemm_tf32(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
              float *C, int m, int n, float alpha, float beta, const Work work) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef Block<BM, GROUPS> Is;
    constexpr int BN = Is::BN, STAGES = Is::STAGES;
    constexpr bool SHARING = std::is_same<Work, Shares>::value;
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t full = tiles + STAGES * Is::STAGE_BYTES, empty = full + STAGES * 8;
    int tiles_m = (m - 1) / BM + 1, tiles_n = (n - 1) / BN + 1;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128;
    Ring<STAGES> ring;

    /* the fetching thread's next tile of the ring; false at the end */
    Piece part;
    int nth = 0, fetched = 0;
    piece_of(work, 0, part);
    int2 source = quick_tile_of(part.tile, tiles_m, tiles_n);
    auto fetch = [&] {
        uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
        uint32_t barrier = full + 8 * ring.stage;
        barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* passes at first */
        if (!SHARING || fetched < part.count) {
            int depth = step_of(work, part, fetched) * BK;
            barrier_expect(barrier, Is::STAGE_BYTES);
#pragma unroll
            for (int row = 0; row < BM; row += PIECE_ROWS)
                tma_load(a + row * 128, &A, source.x * BM + row, depth, barrier);
#pragma unroll
            for (int box = 0; box < BN / 32; box++)
                tma_load(b + box * BOX_BYTES, &B, depth, source.y * BN + box * 32, barrier);
        } else if constexpr (SHARING)
            fetch_sums(a, work, fetched - part.count, barrier);
        ring.next();
        if (++fetched == part.count + (is_tail(work, part) ? SLOTS : 0)) {
            fetched = 0;
            if (!piece_of(work, ++nth, part))
                return false;
            source = quick_tile_of(part.tile, tiles_m, tiles_n);
        }
        return true;
    };

    bool more = true;
    if (threadIdx.x == 0) {
        tma_prefetch(&A);
        tma_prefetch(&B);
        init_ring<STAGES>(full, empty, GROUPS);
        for (int stage = 0; stage < STAGES && more; stage++) /* before the block's first barrier */
            more = fetch();
    }
    __syncthreads();

    if (group == 0) {
        if (GROUPS == 2)
            registers_down_to<40>();
        while (tid == 0 && more)
            more = fetch();
        if constexpr (SHARING)
            if (tid / 32 == 1)
                tell(work);
    } else {
        if (GROUPS == 2)
            registers_up_to<232>();
        int warp = (group - 1) * 4 + tid / 32;
        const turned::Lane lane(warp);
        float sum[BM / 2];
        int last = 0; /* the previous step's stage */

        auto multiply = [&](turned::words &b, int step) {
            uint32_t stage = tiles + ring.stage * Is::STAGE_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            turned::multiply_step(sum, b, stage, stage + Is::A_BYTES, lane, step > 0);
            if (step > 0) {      /* a wait in the first step would make ptxas serialise all */
                wgmma_wait<1>(); /* the previous step is done */
                if (tid == 0)
                    barrier_arrive(empty + 8 * last);
            }
            last = ring.stage;
            ring.next();
        };
        const char *aligned = memory + (tiles - shared_address(memory));
        Piece part;
        for (int nth = 0; piece_of(work, nth, part); nth++) {
            int steps = part.count;
            turned::words b[2]; /* of this step and, while it is still read, of the previous one */
            for (int step = 0; step < steps; step += 2) {
                multiply(b[0], step);
                if (step + 1 < steps)
                    multiply(b[1], step + 1);
            }
            int2 tile =
                quick_tile_of(part.tile, tiles_m, tiles_n); /* while the last products run */
            wgmma_wait<0>();
            if (tid == 0)
                barrier_arrive(empty + 8 * last);
            if constexpr (SHARING) {
                if (is_head(work, part)) {
                    hand_on(work, sum, warp);
                    continue;
                }
                if (is_tail(work, part)) {
#pragma unroll
                    for (int slot = 0; slot < SLOTS; slot++, ring.next()) {
                        barrier_wait(full + 8 * ring.stage, ring.parity);
                        add_slot(sum, aligned + ring.stage * Is::STAGE_BYTES, slot, warp);
                    }
                }
            }
            turned::store_pairs<false>(sum, lane, C, tile.x * BM, tile.y * BN, m, n, alpha, beta);
        }
    }
#endif
}

template <int BM, int GROUPS>
static cudaError_t multiply(const float *A, const float *B, float *C, int m, int n, int k,
                            float alpha, float beta, int processors, cudaStream_t stream) {
    typedef Block<BM, GROUPS> Is;
    bool done;
    cudaError_t status = begin(gemm_tf32<BM, GROUPS, Tiles>, Is::SHARED_BYTES, A, B, C, m, n, k,
                               alpha, beta, stream, &done);
    CUtensorMap a, b;
    if (!done)
        status = operand_maps(&a, &b, A, B, m, n, k, PIECE_ROWS, BK);
    if (done || status != cudaSuccess)
        return status;
    int tiles = ((m - 1) / BM + 1) * ((n - 1) / Is::BN + 1), steps = (k - 1) / BK + 1;
    if constexpr (GROUPS == 2) {
        Shares shares;
        void *memory = deal_out(&shares, tiles, shared_tiles(tiles, steps, processors), steps,
                                processors, stream);
        if (memory) {
            auto *kernel = gemm_tf32<BM, GROUPS, Shares>;
            status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          Is::SHARED_BYTES);
            if (status == cudaSuccess)
                status = launch_early(kernel, processors, Is::THREADS, Is::SHARED_BYTES, stream, a,
                                      b, C, m, n, alpha, beta, shares);
            cudaFreeAsync(memory, stream);
            return status;
        }
    }
    /* only as many blocks as the last round keeps busy, which takes no longer */
    int blocks = (int)((tiles - 1) / rounds_of(m, n, BM, Is::BN, processors)) + 1;
    gemm_tf32<BM, GROUPS><<<blocks, Is::THREADS, Is::SHARED_BYTES, stream>>>(
        a, b, C, m, n, alpha, beta, Tiles{tiles, steps});
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_gemm_wgmma_tf32(const float *A, const float *B, float *C, int m, int n,
                                           int k, float alpha, float beta, cudaStream_t stream) {
    const int processors = multiprocessors();
    /* a quarter of the results takes 0.45 of the time */
    bool small =
        m > 0 && n > 0 &&
        rounds_of(m, n, 128, 64, processors) * 9 < rounds_of(m, n, 256, 128, processors) * 20;
    return (small ? multiply<128, 1> : multiply<256, 2>)(A, B, C, m, n, k, alpha, beta, processors,
                                                         stream);
}
