/* sharing.cuh: persistent blocks that share the last tiles, in bf16 or fp16 (see 8_stream_k;
 * 16_half uses it too). */
#pragma once

#include "pieces.cuh"

namespace sharing {

enum { BM = 128, BN = 256, BK = 64, STAGES = 4, THREADS = 384, BOX_BYTES = BK * 128 };
enum { A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + BK * BN * 2 };
enum { PART = 64, PARTS = BN / PART, PART_BYTES = 16 * PART * 2 }; /* a warp's 16 rows */
enum { OUT_BYTES = 8 * 2 * PART_BYTES /* two parts a warp */ };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024 };

template <class T>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_stream_k(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                  const __grid_constant__ CUtensorMap to, const T *C, int m, int n, float alpha,
                  float beta, const Shares shares) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    uint32_t out = tiles + STAGES * STAGE_BYTES;
    uint32_t full = out + OUT_BYTES, empty = full + STAGES * 8;
    int rows = (m - 1) / BM + 1, cols = (n - 1) / BN + 1;
    int group = threadIdx.x / 128, tid = threadIdx.x % 128, lane = tid % 32;
    Ring<STAGES> ring;

    /* a tile's first row and column */
    auto corner_of = [&](int tile) {
        int2 at = quick_tile_of(tile, rows, cols);
        return make_int2(at.x * BM, at.y * BN);
    };
    /* the fetching thread's next step or slot of sums; false at the end */
    Piece piece = {};
    int nth = 0, fetched = 0;
    int2 corner = {};
    auto fetch = [&] {
        uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
        uint32_t barrier = full + 8 * ring.stage;
        barrier_wait(empty + 8 * ring.stage, ring.parity ^ 1); /* passes at first */
        if (fetched < piece.count) {
            int depth = step_of(shares, piece, fetched) * BK;
            barrier_expect(barrier, STAGE_BYTES);
            tma_load(a, &A, corner.x, depth, barrier);
#pragma unroll
            for (int i = 0; i < BN / 64; i++)
                tma_load(b + i * BOX_BYTES, &B, depth, corner.y + i * 64, barrier);
        } else
            fetch_sums(b, shares, fetched - piece.count, barrier);
        ring.next();
        if (++fetched < piece.count + (is_tail(shares, piece) ? SLOTS : 0))
            return true;
        fetched = 0;
        if (!piece_of(shares, ++nth, piece))
            return false;
        corner = corner_of(piece.tile);
        return true;
    };

    bool more = true;
    if (threadIdx.x == 0) {
        tma_prefetch(&A);
        tma_prefetch(&B);
        init_ring<STAGES>(full, empty, 2);
        piece_of(shares, 0, piece);
        corner = corner_of(piece.tile);
        more = fetch(); /* before the block's first barrier */
    }
    __syncthreads();

    if (group == 0) {
        registers_down_to<40>();
        while (tid == 0 && more)
            more = fetch();
        if (tid / 32 == 1)
            tell(shares);
    } else {
        registers_up_to<232>();
        float sum[BN / 2];
        pair_type<T> rounded[BN / 4]; /* the last tile's results, until they are stored */
        bool pending = false;
        int row = 0, col = 0, last = 0; /* the place of `rounded`; the previous step's stage */
        int warp = threadIdx.x / 32 - 4, warp_rows = warp * 16; /* its first row in the tile */
        out += warp * (2 * PART_BYTES);
        const char *aligned = memory + (tiles - shared_address(memory));

        auto multiply = [&](int step) {
            uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            multiply_step(sum, a + (group - 1) * (64 * 128), b, step > 0, T());
            wgmma_wait<1>(); /* the previous step is done */
            if (step > 0 && tid == 0)
                barrier_arrive(empty + 8 * last);
            last = ring.stage;
            ring.next();
        };
        auto put_away = [&](int part) {
            uint32_t buffer = out + part % 2 * PART_BYTES;
            send_part_in_turn(buffer, rounded, part,
                              [&] { tma_store(&to, row, col + part * PART, buffer); });
        };

        Piece piece;
        for (int nth = 0; piece_of(shares, nth, piece); nth++) {
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                if (part < piece.count)
                    multiply(part);
                if (pending)
                    put_away(part);
            }
            int2 at = corner_of(piece.tile); /* while the products run */
            row = at.x + warp_rows;
            col = at.y;
#pragma unroll 4
            for (int step = PARTS; step < piece.count; step++)
                multiply(step);
            wgmma_wait<0>();
            if (tid == 0)
                barrier_arrive(empty + 8 * last);
            pending = !is_head(shares, piece);
            if (!pending) {
                hand_on(shares, sum, warp);
#pragma unroll
                for (int i = 0; i < BN / 4; i++) /* frees registers before the next tile */
                    rounded[i] = pair_type<T>();
                continue;
            }
            if (is_tail(shares, piece)) {
#pragma unroll
                for (int slot = 0; slot < SLOTS; slot++, ring.next()) {
                    barrier_wait(full + 8 * ring.stage, ring.parity);
                    add_slot(sum, aligned + ring.stage * STAGE_BYTES + A_BYTES, slot, warp);
                }
            }
            round_results(rounded, sum, C, row, col, m, n, alpha, beta);
        }
        /* the last tile's parts go to this warp's rows of A in each stage, after the warpgroup has
         * read them */
        asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            uint32_t buffer = tiles + part * STAGE_BYTES + warp_rows * 128;
            send_part(buffer, rounded, part,
                      [&] { tma_store(&to, row, col + part * PART, buffer); });
        }
        if (lane == 0)
            tma_store_wait<0>();
    }
#endif
}

template <class T>
static cudaError_t multiply(const T *A, const T *B, T *C, int m, int n, int k, float alpha,
                            float beta, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        begin(gemm_stream_k<T>, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b, to;
    if (!done)
        status = product_maps(&a, &b, &to, A, B, C, m, n, k, BM, BK);
    if (done || status != cudaSuccess)
        return status;
    const int processors = multiprocessors();
    int tiles = ((m - 1) / BM + 1) * ((n - 1) / BN + 1), steps = (k - 1) / BK + 1;
    int shared = shared_tiles(tiles, steps, processors);
    Shares shares;
    void *memory = deal_out(&shares, tiles, shared, steps, processors, stream);
    if (memory) {
        status = launch_early(gemm_stream_k<T>, processors, THREADS, SHARED_BYTES, stream, a, b, to,
                              (const T *)C, m, n, alpha, beta, shares);
        cudaFreeAsync(memory, stream);
        return status;
    }
    /* only as many blocks as the last round keeps busy, which takes no longer */
    int blocks = (int)((tiles - 1) / rounds_of(m, n, BM, BN, processors)) + 1;
    gemm_stream_k<T>
        <<<blocks, THREADS, SHARED_BYTES, stream>>>(a, b, to, C, m, n, alpha, beta, shares);
    return cudaGetLastError();
}

} // namespace sharing
