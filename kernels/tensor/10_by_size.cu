/* C = alpha A B + beta C in bf16: tiles to suit the size.
 *
 * What it teaches: 1024 x 1024 has 32 tiles of 128 x 256, for 132 multiprocessors. Of 64 x 128 it
 * has 128, which one warpgroup each is enough to multiply. These read twice as much for a result
 * and are for small matrices only; which tiles suit is calculated from the rounds they make on this
 * device, 7_persistent has the larger ones, and 8_stream_k shares out what fills no round. Flat and
 * narrow matrices, and those whose rows TMA does not take, are 11_parts' business; which of all
 * these takes least is calculated too (cost.cuh).
 *
 * A product of 8 microseconds, of which an empty kernel takes 3.3, is all start and end. So there
 * is no loop over tiles, eight steps are on their way before the block has met, and the code is
 * short: 7_persistent's kernel, with tiles of this size, took 9.4.
 *
 * Predicted for 1024 each: 4,096 cycles of multiplication in place of 16,384, 7 of 15 microseconds.
 * Measured on an H200: 8.2; 261 TFLOP/s (7_persistent with 128 x 128 tiles 202, cuBLAS 249). Tiles
 * of 128 x 128 whose steps two blocks of a cluster share, and whose sums they exchange, took 11.4,
 * a third of it the exchange and the stores. Tiles of 128 x 192 and 128 x 256 by code as short as
 * this are no faster than 7_persistent's, even one a block (1536, 2048: 17.2 and 26.9 after 17.0
 * and 26.7).
 *
 * What is chosen here beside cuBLAS (1.00): 1024 1.05, 1536 0.98, 2048 1.01, 2560 1.14, 3072 1.02,
 * 4096 1.02, 5120 1.01, 6144 1.035, 7168 1.01, 8192 1.05, 4096x1024x8192 0.99. Of 24 square sizes
 * from 1152 to 6400 cuBLAS is faster at 1152 (0.93), 1536, 2176 (0.99) and 3200 (0.98); run at each
 * of these in every shape, the one chosen cost 2 % at most. Rows of B that are no multiple of 64
 * bytes, for which 7_persistent has pairs: 1000 0.89, 1512 0.90, 2008 0.97, 3000 0.95, 4104 0.92,
 * 5000 0.97, 2504x5000x2600 1.04, 8200x4104x2056 1.01.
 *
 * At 1536 cuBLAS takes no longer than the start and 13,400 cycles, all multiprocessors busy; 120
 * tiles of 128 x 160 and 132 of 128 x 144 take the same 15.5 microseconds here, and those of 144
 * took 17 while three whole boxes of 64 columns were fetched for them.
 *
 * The tiles here need compute capability 9.0 and rows of multiples of 16 bytes; elsewhere it is
 * 11_parts. */
#include "pieces.cuh"

#include "cost.cuh"

typedef __nv_bfloat16 bf16;

/* The time of a round of these tiles, that of a round of 128 x 256 being 1; measured on an H200. */
constexpr double SMALL_TIME = 0.36;

enum { BM = 64, BN = 128, BK = 64, STAGES = 8, THREADS = 256, BOX_BYTES = BK * 128 };
enum { A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + BK * BN * 2 };
enum { PARTS = BN / 64, PART_BYTES = 16 * 64 * 2, OUT_BYTES = 4 * PARTS * PART_BYTES };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024 /* to align them */ };

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_small(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
               const __grid_constant__ CUtensorMap to, const bf16 *C, int m, int n, int k,
               float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t out = tiles + STAGES * STAGE_BYTES;
    uint32_t full = out + OUT_BYTES, empty = full + STAGES * 8;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;
    int steps = (k + BK - 1) / BK;
    if (threadIdx.x == 0) {
        tma_prefetch(&A);
        tma_prefetch(&B);
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 1);
        }
        barriers_ready();
    }
    int2 tile = quick_tile_of(blockIdx.x, (m - 1) / BM + 1, (n - 1) / BN + 1);
    int row0 = tile.x * BM, col0 = tile.y * BN;
    auto fetch = [&](int step, int stage) {
        uint32_t a = tiles + stage * STAGE_BYTES, b = a + A_BYTES, barrier = full + 8 * stage;
        barrier_expect(barrier, STAGE_BYTES);
        tma_load(a, &A, row0, step * BK, barrier);
        tma_load(b, &B, step * BK, col0, barrier);
        tma_load(b + BOX_BYTES, &B, step * BK, col0 + 64, barrier);
    };
    if (threadIdx.x == 0)
        for (int step = 0; step < STAGES && step < steps; step++)
            fetch(step, step);
    __syncthreads();

    Ring<STAGES> ring;
    if (threadIdx.x == 0) {
        for (int step = STAGES; step < steps; step++, ring.next()) {
            barrier_wait(empty + 8 * ring.stage, ring.parity);
            fetch(step, ring.stage);
        }
    } else if (group == 1) {
        float sum[BN / 2];
        int last = 0; /* the stage of the step before */
        for (int step = 0; step < steps; step++, ring.next()) {
            uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < BK / 16; kk++)
                wgmma_bf16(sum, wgmma_operand(a + kk * 32),
                           wgmma_operand(b + kk * (16 * 128), BOX_BYTES), step + kk > 0);
            wgmma_commit();
            wgmma_wait<1>(); /* the step before is done */
            if (step > 0 && tid == 0)
                barrier_arrive(empty + 8 * last);
            last = ring.stage;
        }
        wgmma_wait<0>();
        __nv_bfloat162 rounded[BN / 4];
        int row = row0 + tid / 32 * 16;
        round_results(rounded, sum, C, row, col0, m, n, alpha, beta);
        uint32_t buffer = out + tid / 32 * (PARTS * PART_BYTES);
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            store_part(buffer + part * PART_BYTES, rounded, part);
        tma_written();
        __syncwarp();
        if (lane < PARTS) {
            tma_store(&to, row, col0 + lane * 64, buffer + lane * PART_BYTES);
            tma_store_wait<0>();
        }
    }
#endif
}

static cudaError_t small_tiles(const bf16 *A, const bf16 *B, bf16 *C, int m, int n, int k,
                               float alpha, float beta, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        begin(gemm_small, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b, to;
    if (!done)
        status = product_maps(&a, &b, &to, A, B, C, m, n, k, BM, BK);
    if (done || status != cudaSuccess)
        return status;
    int blocks = ((m - 1) / BM + 1) * ((n - 1) / BN + 1);
    gemm_small<<<blocks, THREADS, SHARED_BYTES, stream>>>(a, b, to, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}

static const type_times MEMORY = {0, 0, 0, 0, 2.88e6};
static const stay_times STAY = {4.95, 2.227, 0.00898}; /* cost.cuh */

/* Which of the rungs on wgmma suits, and how many rounds of 128 x 256 it takes. */
static auto suitable_for(int m, int n, int k, int processors, double *least) {
    auto *suitable = wbk_gemm_persistent_bf16;
    bool pairs = in_pairs(m, n, processors);
    best_width(pairs ? 2 : 1, m, n, processors, least);
    long long tiles = ((m - 1LL) / 128 + 1) * ((n - 1LL) / 256 + 1), steps = (k - 1LL) / 64 + 1;
    double shared = (double)tiles / processors + (double)SHARING_COST / steps;
    if (!pairs && shared_tiles(tiles, steps, processors) > 0 && shared < *least) {
        *least = shared;
        suitable = wbk_gemm_stream_k_bf16;
    }
    if (rounds_of(m, n, BM, BN, processors) * SMALL_TIME < *least) {
        *least = rounds_of(m, n, BM, BN, processors) * SMALL_TIME;
        suitable = small_tiles;
    }
    return suitable;
}

extern "C" cudaError_t wbk_gemm_by_size_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                             int k, float alpha, float beta, cudaStream_t stream) {
    if (m > 0 && n > 0 && k > 0 && alpha != 0 && n % 8 == 0 && k % 8 == 0 &&
        ((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) % 16 == 0) {
        int device = 0, processors = 1;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        double rounds;
        auto *suitable = suitable_for(m, n, k, processors, &rounds);
        if (stay_time(STAY, MEMORY, rounds, m, n, k, sizeof(bf16)) <
            wbk_gemm_parts_time_bf16(m, n, k, processors)) {
            cudaError_t status = suitable(A, B, C, m, n, k, alpha, beta, stream);
            if (status != cudaErrorNotSupported)
                return status; /* otherwise the device has no wgmma */
        }
    }
    return wbk_gemm_parts_bf16(A, B, C, m, n, k, alpha, beta, stream);
}
