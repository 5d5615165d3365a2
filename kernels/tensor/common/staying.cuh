/* staying.cuh: persistent blocks, in bf16 or fp16, for one product or a batch (see 7_persistent;
 * 16_half and 17_batched use it too). */
#pragma once

#include "widths.cuh"

namespace staying {

enum { BM = 128, BK = 64, THREADS = 384, BOX_BYTES = BK * 128 };
enum { PART = 64, PART_BYTES = 16 * PART * 2 }; /* a warp's 16 rows of 64 columns */

template <int BN> struct Block {
    static constexpr int STAGES = BN == 64 ? 8 : BN == 128 ? 6 : 4;
    static constexpr int PARTS = (BN - 1) / PART + 1;
    static constexpr int LAST = BN - (PARTS - 1) * PART; /* columns of the last part */
    static constexpr int A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + PARTS * BOX_BYTES;
    static constexpr int FETCHED_BYTES = A_BYTES + BK * BN * 2;
    static constexpr int OUT_BYTES = 8 * 2 * PART_BYTES; /* two parts a warp */
    static constexpr int SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024;
};

/* The tensor maps, and those of B and C for a narrower last part. */
struct Maps {
    CUtensorMap a, b, c, last_b, last_c;
};

/* `count` products of one shape, and the distances in elements between their matrices. A or B with
 * distance 0 is shared by all. */
struct Batch {
    int count;
    long long a, b, c;
};

/* BATCH: a batch of products; otherwise `batch` is unused. PAIR 2: blocks one above the other form
 * a cluster, and each fetches half of B's rows for both. */
template <class T, int BN, int PAIR, bool BATCH>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_persistent(const __grid_constant__ Maps maps, const T *C, int m, int n, int k, float alpha,
                    float beta, const Batch batch) {
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

    const int each = rows * cols, all = BATCH ? each * batch.count : each;

    /* a tile's first row and column, and its product */
    auto corner_of = [&](int tile) {
        int nth = BATCH ? tile / each : 0;
        int2 at = quick_tile_of(BATCH ? tile - nth * each : tile, rows, cols);
        return make_int3((at.x * PAIR + rank) * BM, at.y * BN, nth);
    };
    /* the fetching thread's next step; false at the end */
    int tile = pair, step_fetched = 0;
    int3 corner = {};
    bool backwards = false;
    auto fetch = [&] {
        uint32_t a = tiles + ring.stage * Is::STAGE_BYTES, b = a + Is::A_BYTES;
        uint32_t barrier = full + 8 * ring.stage;
        int depth = (backwards ? steps - 1 - step_fetched : step_fetched) * BK;
        barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* passes at first */
        barrier_expect(barrier, Is::FETCHED_BYTES);
        if constexpr (BATCH)
            tma_load(a, &maps.a, corner.x, depth, batch.a ? corner.z : 0, barrier);
        else
            tma_load(a, &maps.a, corner.x, depth, barrier);
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const CUtensorMap *map = part < WHOLE ? &maps.b : &maps.last_b;
            int col = part_column<BN>(corner.y, part);
            uint32_t to = b + part * BOX_BYTES;
            if constexpr (BATCH)
                tma_load(to, map, depth, col, batch.b ? corner.z : 0, barrier);
            else if constexpr (PAIR == 1)
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
        if (tile >= all)
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
        init_ring<STAGES>(full, empty, 2 * PAIR);
        corner = corner_of(tile);
        if (PAIR == 1)
            more = fetch(); /* before the block's first barrier */
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
        pair_type<T> rounded[BN / 4]; /* the last tile's results, until they are stored */
        bool pending = false;
        int row = 0, col = 0, of = 0; /* the place of `rounded`, and its product */
        int last = 0;                 /* the previous step's stage */
        int turn = 0;                 /* the next of the two buffers */
        int warp_rows = (group - 1) * 64 + tid / 32 * 16; /* the warp's first row in the tile */
        out += (group - 1) * (4 * 2 * PART_BYTES) + tid / 32 * (2 * PART_BYTES);

        /* returns a stage to all blocks that fetch into it */
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
            multiply_step(sum, a + (group - 1) * (64 * 128), b, step > 0, T());
            wgmma_wait<1>(); /* the previous step is done */
            if (step > 0)
                give_back(last);
            last = ring.stage;
            ring.next();
        };
        auto store = [&](int part, uint32_t from) {
            const CUtensorMap *map = part < WHOLE ? &maps.c : &maps.last_c;
            if constexpr (BATCH)
                tma_store(map, row, part_column<BN>(col, part), of, from);
            else
                tma_store(map, row, part_column<BN>(col, part), from);
        };
        auto put_away = [&](int part) {
            uint32_t buffer = out + turn * PART_BYTES;
            turn ^= 1; /* alternates from tile to tile too, which may have three parts */
            send_part_in_turn(buffer, rounded, part, [&] { store(part, buffer); });
        };

        for (int p = pair; p < all; p += pairs) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                if (part < steps)
                    multiply(part);
                if (pending)
                    put_away(part);
            }
            int3 at = corner_of(p); /* while the products run */
            row = at.x + warp_rows;
            col = at.y;
            of = at.z;
#pragma unroll 4
            for (int step = PARTS; step < steps; step++)
                multiply(step);
            wgmma_wait<0>();
            give_back(last);
            round_results(rounded, sum, BATCH ? C + of * batch.c : C, row, col, m, n, alpha, beta);
            pending = true;
        }
        /* the last tile's parts go to this warp's rows of A in each stage, after the warpgroup has
         * read them */
        asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            uint32_t buffer = tiles + part * Is::STAGE_BYTES + warp_rows * 128;
            send_part(buffer, rounded, part, [&] { store(part, buffer); });
        }
        if (lane == 0)
            tma_store_wait<0>();
    }
    if constexpr (PAIR == 2) {
        __syncwarp();
        cluster_sync(); /* the other block may still write here and arrive at our barriers */
    }
#endif
}

/* Makes all maps of a product or a batch. */
template <class T, int BN, int PAIR, bool BATCH>
static cudaError_t maps_of(Maps *maps, const T *A, const T *B, const T *C, int m, int n, int k,
                           const Batch &batch) {
    typedef Block<BN> Is;
    const matrices a = {A, m, k, batch.a ? batch.count : 1, batch.a};
    const matrices b = {B, k, n, batch.b ? batch.count : 1, batch.b};
    const matrices c = {C, m, n, batch.count, batch.c};
    const struct {
        CUtensorMap *map;
        const matrices &of;
        int rows, cols;
    } all[] = {{&maps->a, a, BM, BK},
               {&maps->b, b, BK / PAIR, PART},
               {&maps->c, c, 16, PART},
               {&maps->last_b, b, BK / PAIR, Is::LAST},
               {&maps->last_c, c, 16, Is::LAST}};
    for (int i = 0; i < (Is::LAST < PART ? 5 : 3); i++) {
        cudaError_t status = tensor_map(all[i].map, map_type(T()), sizeof(T), all[i].of,
                                        all[i].rows, all[i].cols, BATCH);
        if (status != cudaSuccess)
            return status;
    }
    return cudaSuccess;
}

template <class T, int BN, int PAIR, bool BATCH = false>
static cudaError_t multiply(const T *A, const T *B, T *C, int m, int n, int k, float alpha,
                            float beta, int processors, cudaStream_t stream,
                            const Batch &batch = {1, 0, 0, 0}) {
    typedef Block<BN> Is;
    auto *kernel = gemm_persistent<T, BN, PAIR, BATCH>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Is::SHARED_BYTES);
    Maps maps;
    if (status == cudaSuccess)
        status = maps_of<T, BN, PAIR, BATCH>(&maps, A, B, C, m, n, k, batch);
    if (status != cudaSuccess)
        return status;
    /* only as many blocks as the last round keeps busy, which takes no longer */
    long long tiles = ((m - 1) / (PAIR * BM) + 1LL) * ((n - 1) / BN + 1) * batch.count;
    long long rounds = (tiles - 1) / (processors / PAIR) + 1;
    int blocks = (int)((tiles - 1) / rounds) + 1;
    if (PAIR == 2)
        return launch(kernel, PAIR * blocks, PAIR, THREADS, Is::SHARED_BYTES, stream, maps,
                      (const T *)C, m, n, k, alpha, beta, batch);
    kernel<<<blocks, THREADS, Is::SHARED_BYTES, stream>>>(maps, C, m, n, k, alpha, beta, batch);
    return cudaGetLastError();
}

template <class T, int PAIR> static auto *multiply_by(int cols) {
    switch (cols) {
    case 128:
        return multiply<T, 128, PAIR>;
    case 160:
        return multiply<T, 160, PAIR>;
    case 192:
        return multiply<T, 192, PAIR>;
    case 224:
        return multiply<T, 224, PAIR>;
    case 240:
        return multiply<T, 240, PAIR>;
    default:
        return multiply<T, 256, PAIR>;
    }
}

/* C = alpha A B + beta C with the best width. */
template <class T>
static cudaError_t multiply_any_width(const T *A, const T *B, T *C, int m, int n, int k,
                                      float alpha, float beta, cudaStream_t stream) {
    const int processors = multiprocessors();
    bool done;
    cudaError_t status = begin(gemm_persistent<T, 256, 1, false>, Block<256>::SHARED_BYTES, A, B, C,
                               m, n, k, alpha, beta, stream, &done);
    if (done || status != cudaSuccess)
        return status;
    const tile_width best = best_width(m, n, k, processors);
    auto *suitable = best.pair == 2 ? multiply_by<T, 2>(best.cols) : multiply_by<T, 1>(best.cols);
    return suitable(A, B, C, m, n, k, alpha, beta, processors, stream, {1, 0, 0, 0});
}

} // namespace staying
