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
 * Tiles are 128 x 256, or narrower where these take less time in whole rounds. Predicted for 3072
 * each: three rounds of 128 x 192, each 0.77 as long, in place of three: 23 %. Measured: 75.8
 * microseconds after 89.4 (cuBLAS 76.8): the clock falls as the multiprocessors fill.
 *
 * A width need not be a multiple of a box's 64 columns: TMA swizzles a narrower box into rows of
 * 128 bytes all the same, of which wgmma reads the front. Predicted: 1536 in one round of 160
 * columns in place of 192, 0.625 / 0.75: 17 %; 2688 in two of 224 in place of 256: 12 %. Measured:
 * 1536 15.5 after 17.0 (cuBLAS 15.1), 2176 33.9 after 37.8 (33.5), 2688 52.9 after 57.4 (55.7),
 * 3200 91.5 after 95.5 (89.4). The last took 102 at first: every other tile of 224 columns begins
 * in the middle of a cache line, and so did all its boxes until the narrow one came first
 * (part_column).
 *
 * Where rows of B are no multiples of 64 bytes, a row of a box, 128 bytes, lies across two lines of
 * the L2 cache, and fetching takes longer than multiplying. There pairs of blocks do share B's
 * tiles. Predicted: as many lines as of aligned rows, and their pace. Measured: 3000 each 83.4
 * microseconds after 107.2 (cuBLAS 79.0), 4104 215 after 283 (193), 2504x5000x2600 124 after 168
 * (110); with 224 columns the last two 209 and 105.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "hopper.cuh"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BK = 64, THREADS = 384, BOX_BYTES = BK * 128 };
enum { PART = 64, PART_BYTES = 16 * PART * 2 }; /* a warp's 16 rows of 64 columns */

template <int BN> struct Block {
    static constexpr int STAGES = BN == 128 ? 6 : 4, PARTS = (BN - 1) / PART + 1;
    static constexpr int LAST = BN - (PARTS - 1) * PART; /* columns of the last part */
    static constexpr int A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + PARTS * BOX_BYTES;
    static constexpr int FETCHED_BYTES = A_BYTES + BK * BN * 2;
    static constexpr int OUT_BYTES = 8 * 2 * PART_BYTES; /* two parts a warp */
    static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024;
};

/* The matrices as TMA knows them, and B and C for a last part that is narrower. */
struct Maps {
    CUtensorMap a, b, c, last_b, last_c;
};

/* PAIR 2: blocks one above the other are a cluster, and each fetches half of B's rows for both. */
template <int BN, int PAIR>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_persistent(const __grid_constant__ Maps maps, const bf16 *C, int m, int n, int k,
                    float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef Block<BN> Is;
    constexpr int STAGES = Is::STAGES, PARTS = Is::PARTS, WHOLE = BN / PART;
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t out = tiles + STAGES * Is::STAGE_BYTES;
    uint32_t full = out + Is::OUT_BYTES, empty = full + STAGES * 8;
    int rows = (m - 1) / (PAIR * BM) + 1, cols = (n - 1) / BN + 1, steps = (k + BK - 1) / BK;
    int rank = PAIR == 1 ? 0 : cluster_rank(), pair = blockIdx.x / PAIR, pairs = gridDim.x / PAIR;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;
    Ring<STAGES> ring;

    /* A tile's first row and column. */
    auto corner_of = [&](int tile) {
        int2 at = quick_tile_of(tile, rows, cols);
        return make_int2((at.x * PAIR + rank) * BM, at.y * BN);
    };
    /* The fetching thread's next step; false: it was the last. */
    int tile = pair, step_fetched = 0;
    int2 corner = {};
    bool backwards = false;
    auto fetch = [&] {
        uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
        uint32_t barrier = full + 8 * ring.stage;
        int depth = (backwards ? steps - 1 - step_fetched : step_fetched) * BK;
        barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* at first there is none */
        barrier_expect(barrier, Is::FETCHED_BYTES);
        tma_load(a, &maps.a, corner.x, depth, barrier);
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const CUtensorMap *map = part < WHOLE ? &maps.b : &maps.last_b;
            int col = part_column<BN>(corner.y, part);
            uint32_t to = b + part * BOX_BYTES;
            if constexpr (PAIR == 1)
                tma_load(to, map, depth, col, barrier);
            else
                tma_load_both(to + rank * (BOX_BYTES / PAIR), map, depth + rank * (BK / PAIR), col,
                              barrier);
        }
        ring.next();
        if (++step_fetched < steps)
            return true;
        step_fetched = 0;
        backwards = !backwards;
        tile += pairs;
        if (tile >= rows * cols)
            return false;
        corner = corner_of(tile);
        return true;
    };

    bool more = true;
    if (threadIdx.x == 0) {
        tma_prefetch(&maps.a);
        tma_prefetch(&maps.b);
        if (WHOLE < PARTS)
            tma_prefetch(&maps.last_b);
        for (int stage = 0; stage < STAGES; stage++) {
            barrier_init(full + 8 * stage, 1);
            barrier_init(empty + 8 * stage, 2 * PAIR);
        }
        barriers_ready();
        corner = corner_of(tile);
        if (PAIR == 1)
            more = fetch(); /* before the block has even met */
    }
    if constexpr (PAIR == 2) {
        __syncwarp();
        cluster_sync(); /* the other block's barriers are ready too */
    } else
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

        /* To all who fetch into it. */
        auto give_back = [&](int stage) {
            if constexpr (PAIR == 2) {
                if (tid < PAIR)
                    barrier_arrive_at(empty + 8 * stage, tid);
            } else if (tid == 0)
                barrier_arrive(empty + 8 * stage);
        };
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
            if (step > 0)
                give_back(last);
            last = ring.stage;
            ring.next();
        };
        auto store = [&](int part, uint32_t from) {
            tma_store(part < WHOLE ? &maps.c : &maps.last_c, row, part_column<BN>(col, part), from);
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
                store(part, buffer);
        };

        for (int p = pair; p < rows * cols; p += pairs) {
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
            give_back(last);
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
                store(part, buffer);
        }
        if (lane == 0)
            tma_store_wait<0>();
    }
    if constexpr (PAIR == 2) {
        __syncwarp();
        cluster_sync(); /* the other block may still write here, and tell our barriers */
    }
#endif
}

template <int BN, int PAIR>
static cudaError_t multiply(const bf16 *A, const bf16 *B, bf16 *C, int m, int n, int k, float alpha,
                            float beta, int processors, cudaStream_t stream) {
    typedef Block<BN> Is;
    auto *kernel = gemm_persistent<BN, PAIR>;
    bool done;
    cudaError_t status =
        begin(kernel, Is::SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    Maps maps;
    if (!done)
        status = product_maps(&maps.a, &maps.b, &maps.c, A, B, C, m, n, k, BM, BK / PAIR);
    if (!done && status == cudaSuccess && Is::LAST < PART)
        status = tile_map(&maps.last_b, B, k, n, BK / PAIR, Is::LAST);
    if (!done && status == cudaSuccess && Is::LAST < PART)
        status = tile_map(&maps.last_c, C, m, n, 16, Is::LAST);
    if (done || status != cudaSuccess)
        return status;
    /* No more blocks than the last round keeps busy: it takes no longer. */
    int tiles = ((m - 1) / (PAIR * BM) + 1) * ((n - 1) / BN + 1);
    int blocks = (int)((tiles - 1) / rounds_of(m, n, PAIR * BM, BN, processors / PAIR)) + 1;
    if (PAIR == 2)
        return launch(kernel, PAIR * blocks, PAIR, THREADS, Is::SHARED_BYTES, stream, maps,
                      (const bf16 *)C, m, n, k, alpha, beta);
    kernel<<<blocks, THREADS, Is::SHARED_BYTES, stream>>>(maps, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}

template <int PAIR> static auto *multiply_by(int cols) {
    switch (cols) {
    case 128:
        return multiply<128, PAIR>;
    case 160:
        return multiply<160, PAIR>;
    case 192:
        return multiply<192, PAIR>;
    case 224:
        return multiply<224, PAIR>;
    case 240:
        return multiply<240, PAIR>;
    default:
        return multiply<256, PAIR>;
    }
}

extern "C" cudaError_t wbk_gemm_persistent_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                                int k, float alpha, float beta,
                                                cudaStream_t stream) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    double time;
    int pair = in_pairs(m, n, processors) ? 2 : 1;
    int cols = m > 0 && n > 0 ? best_width(pair, m, n, processors, &time) : 256;
    auto *suitable = pair == 2 ? multiply_by<2>(cols) : multiply_by<1>(cols);
    return suitable(A, B, C, m, n, k, alpha, beta, processors, stream);
}
