/* C = alpha A B + beta C in bf16: blocks that stay, and results put away during the next tile.
 *
 * What it teaches: in 5_roles each tile begins with empty buffers and ends with stores while the
 * tensor cores stand still. Here as many blocks as there are multiprocessors take tile after tile:
 * - the fetching thread runs ahead into the next tile while this one is finished;
 * - a finished tile is only rounded to bf16, which halves it to 64 registers, and the next tile
 *   begins at once; between its first steps, 64 columns at a time, the old results go to shared
 *   memory by stmatrix and from there by TMA;
 * - the first copies start before the block has met, and the last tile's results leave through
 *   buffers that nothing more is fetched into;
 * - every other tile goes through k from its end: the L2 cache still holds what was read last.
 *
 * Predicted: 4 % off 5_roles' time for the ends of tiles, more for starts. Measured on an H200,
 * random reals, the chip at its power limit: 4096 each 764 TFLOP/s (662 before; cuBLAS 747), 8192
 * each 699 (651; cuBLAS 674).
 *
 * Measured by a multiprocessor's clock, 4096 each: 271,000 cycles, of which 262,144 are the
 * multiplication of four tiles, 3,000 the start (until the first tile is there) and 4,000 the end.
 * Little is left to win there; the rest is the clock, which is 1.6 GHz of 1.98 during the product
 * and 1.4 at 8192 (700 W). So time is won by what saves energy: k back and forth 0.5 %; 128 blocks
 * with four tiles each rather than 132, of which 16 have three, 0.8 %. Which tiles are neighbours
 * on the chip matters too: launched as clusters of one block, which seem to be dealt out otherwise,
 * the same kernel took 183 microseconds in place of 176. Pairs of blocks that share B's tiles
 * (6_cluster) are then as fast and no faster, and start half a microsecond later. The product
 * turned (256 x 128, columns of B for wgmma's 64 rows, results by stmatrix.trans) takes 1 % more.
 *
 * Tiles are 128 x 256, or 128 x 192 or 128 x 128 where these take less time in whole rounds.
 * Predicted for 3072 each: three rounds of 128 x 192, each 0.77 as long, in place of three: 23 %.
 * Measured: 75.8 microseconds after 89.4 (cuBLAS 76.8): the clock falls as the multiprocessors
 * fill. 1536: 17.0 after 20.4 (cuBLAS 15.0).
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "hopper.cuh"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BK = 64, THREADS = 384, BOX_BYTES = BK * 128 };
enum { PART = 64, PART_BYTES = 16 * PART * 2 }; /* a warp's 16 rows of 64 columns */

template <int BN> struct Block {
    static constexpr int STAGES = BN == 128 ? 6 : 4, PARTS = BN / PART;
    static constexpr int A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + BK * BN * 2;
    static constexpr int OUT_BYTES = 8 * 2 * PART_BYTES; /* two parts a warp */
    static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024;
};

template <int BN>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_persistent(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                    const __grid_constant__ CUtensorMap to, const bf16 *C, int m, int n, int k,
                    float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef Block<BN> Is;
    constexpr int STAGES = Is::STAGES, PARTS = Is::PARTS;
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t out = tiles + STAGES * Is::STAGE_BYTES;
    uint32_t full = out + Is::OUT_BYTES, empty = full + STAGES * 8;
    int rows = (m - 1) / BM + 1, cols = (n - 1) / BN + 1, steps = (k + BK - 1) / BK;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;
    Ring<STAGES> ring;

    auto corner_of = [&](int tile) { /* its first row and column */
                                     int2 at = quick_tile_of(tile, rows, cols);
                                     return make_int2(at.x * BM, at.y * BN);
    };
    /* The fetching thread's next step; false: it was the last. */
    int tile = blockIdx.x, step_fetched = 0;
    int2 corner = {};
    bool backwards = false;
    auto fetch = [&] {
        uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
        uint32_t barrier = full + 8 * ring.stage;
        int depth = (backwards ? steps - 1 - step_fetched : step_fetched) * BK;
        barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* at first there is none */
        barrier_expect(barrier, Is::STAGE_BYTES);
        tma_load(a, &A, corner.x, depth, barrier);
#pragma unroll
        for (int i = 0; i < BN / 64; i++)
            tma_load(b + i * BOX_BYTES, &B, depth, corner.y + i * 64, barrier);
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
        tma_prefetch(&A);
        tma_prefetch(&B);
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 2);
        }
        barriers_ready();
        corner = corner_of(tile);
        more = fetch(); /* before the block has even met */
    }
    __syncthreads();

    if (group == 0) {
        registers_down_to<40>();
        while (tid == 0 && more)
            more = fetch();
    } else {
        registers_up_to<232>();
        float sum[BN / 2];
        __nv_bfloat162 rounded[BN / 4]; /* the last tile's, until they are put away */
        bool pending = false;
        int row = 0, col = 0, last = 0; /* rounded's place; the stage of the step before */
        int turn = 0;                   /* which of the two buffers is next */
        int warp_rows = (group - 1) * 64 + tid / 32 * 16; /* its first, of the tile */
        out += (group - 1) * (4 * 2 * PART_BYTES) + tid / 32 * (2 * PART_BYTES);

        auto multiply = [&](int step) {
            uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < BK / 16; kk++)
                wgmma_bf16(sum, wgmma_operand(a + (group - 1) * (64 * 128) + kk * 32),
                           wgmma_operand(b + kk * (16 * 128), BOX_BYTES), step + kk > 0);
            wgmma_commit();
            wgmma_wait<1>(); /* the step before is done */
            if (step > 0 && tid == 0)
                barrier_arrive(empty + 8 * last);
            last = ring.stage;
            ring.next();
        };
        auto put_away = [&](int part) {
            uint32_t buffer = out + turn * PART_BYTES;
            turn ^= 1; /* by turns from tile to tile too, whose parts may be three */
            if (lane == 0)
                tma_store_wait<1>(); /* the part before the last has been read */
            __syncwarp();
            store_part(buffer, rounded, part);
            tma_written();
            __syncwarp();
            if (lane == 0)
                tma_store(&to, row, col + part * PART, buffer);
        };

        for (int p = blockIdx.x; p < rows * cols; p += gridDim.x) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                if (part < steps)
                    multiply(part);
                if (pending)
                    put_away(part);
            }
            int2 at = corner_of(p); /* while the products run */
            row = at.x + warp_rows;
            col = at.y;
#pragma unroll 4
            for (int step = PARTS; step < steps; step++)
                multiply(step);
            wgmma_wait<0>();
            if (tid == 0)
                barrier_arrive(empty + 8 * last);
            round_results(rounded, sum, C, row, col, m, n, alpha, beta);
            pending = true;
        }
        /* The last tile's parts go to this warp's rows of A in each stage, once the warpgroup is
         * done with them. */
        asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            uint32_t buffer = tiles + part * Is::STAGE_BYTES + warp_rows * 128;
            store_part(buffer, rounded, part);
            tma_written();
            __syncwarp();
            if (lane == 0)
                tma_store(&to, row, col + part * PART, buffer);
        }
        if (lane == 0)
            tma_store_wait<0>();
    }
#endif
}

template <int BN>
static cudaError_t multiply(const bf16 *A, const bf16 *B, bf16 *C, int m, int n, int k, float alpha,
                            float beta, int processors, cudaStream_t stream) {
    typedef Block<BN> Is;
    bool done;
    cudaError_t status =
        begin(gemm_persistent<BN>, Is::SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b, to;
    if (!done && status == cudaSuccess)
        status = bf16_map(&a, A, m, k, BM);
    if (!done && status == cudaSuccess)
        status = bf16_map(&b, B, k, n, BK);
    if (!done && status == cudaSuccess)
        status = bf16_map(&to, C, m, n, 16);
    if (done || status != cudaSuccess)
        return status;
    /* No more blocks than the last round keeps busy: it takes no longer. */
    int tiles = ((m - 1) / BM + 1) * ((n - 1) / BN + 1);
    int blocks = (int)((tiles - 1) / rounds_of(m, n, BM, BN, processors)) + 1;
    gemm_persistent<BN>
        <<<blocks, THREADS, Is::SHARED_BYTES, stream>>>(a, b, to, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_gemm_persistent_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                                int k, float alpha, float beta,
                                                cudaStream_t stream) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    double time;
    int cols = m > 0 && n > 0 ? best_width(m, n, processors, &time) : 256;
    auto *suitable = cols == 256 ? multiply<256> : cols == 192 ? multiply<192> : multiply<128>;
    return suitable(A, B, C, m, n, k, alpha, beta, processors, stream);
}
