/* by_size.cuh: tiles of 64 x 128 for small products, and the choice among all rungs for bf16 and
 * fp16: these, persistent blocks, shared last tiles, and tiles and parts of k. See 10_by_size;
 * 16_half uses it too. */
#pragma once

#include "padded.cuh"
#include "pieces.cuh"
#include "widths.cuh"

namespace small_tiles {

enum { BM = 64, BN = 128, BK = 64, STAGES = 8, THREADS = 256, BOX_BYTES = BK * 128 };
enum { A_BYTES = BM * BK * 2, STAGE_BYTES = A_BYTES + BK * BN * 2 };
enum { PARTS = BN / 64, PART_BYTES = 16 * 64 * 2, OUT_BYTES = 4 * PARTS * PART_BYTES };
enum { SHARED_BYTES = STAGES * (STAGE_BYTES + 16) + OUT_BYTES + 1024 /* to align them */ };

template <class T>
static __global__ void __launch_bounds__(THREADS, 1)
    gemm_small(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
               const __grid_constant__ CUtensorMap to, const T *C, int m, int n, int k, float alpha,
               float beta) {
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
        int last = 0; /* the previous step's stage */
        for (int step = 0; step < steps; step++, ring.next()) {
            uint32_t a = tiles + ring.stage * STAGE_BYTES, b = a + A_BYTES;
            barrier_wait(full + 8 * ring.stage, ring.parity);
            multiply_step(sum, a, b, step > 0, T());
            wgmma_wait<1>(); /* the previous step is done */
            if (step > 0 && tid == 0)
                barrier_arrive(empty + 8 * last);
            last = ring.stage;
        }
        wgmma_wait<0>();
        pair_type<T> rounded[BN / 4];
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

template <class T>
static cudaError_t multiply(const T *A, const T *B, T *C, int m, int n, int k, float alpha,
                            float beta, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        begin(gemm_small<T>, SHARED_BYTES, A, B, C, m, n, k, alpha, beta, stream, &done);
    CUtensorMap a, b, to;
    if (!done)
        status = product_maps(&a, &b, &to, A, B, C, m, n, k, BM, BK);
    if (done || status != cudaSuccess)
        return status;
    int blocks = ((m - 1) / BM + 1) * ((n - 1) / BN + 1);
    gemm_small<T><<<blocks, THREADS, SHARED_BYTES, stream>>>(a, b, to, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}

} // namespace small_tiles

/* Times of these tiles, and the longer launch of blocks that share tiles, fitted as in
 * widths.cuh. */
static const stay_times SMALL = {3.47, 1.799, 0.00297, {0, 0.221}};
constexpr double SHARING_LAUNCH = 6;

/* A type's rungs. */
template <class T> struct rungs {
    typedef cudaError_t rung(const T *A, const T *B, T *C, int m, int n, int k, float alpha,
                             float beta, cudaStream_t stream);
    typedef cudaError_t loose_rung(const T *A, const T *B, int b_cols, T *C, int m, int n, int k,
                                   float alpha, float beta, cudaStream_t stream);
    rung *staying, *sharing, *small_tiles, *wgmma_parts, *direct, *parts, *shallow;
    loose_rung *loose; /* 18_wgmma_parts for any n and C */
};

/* Returns the best of the rungs on wgmma, and sets its time. */
template <class T>
static auto suitable_for(const rungs<T> &of, int m, int n, int k, int processors, double *least) {
    auto *suitable = of.staying;
    *least = best_width(m, n, k, processors).time;
    auto consider = [&](typename rungs<T>::rung *rung, double time) {
        if (time < *least) {
            *least = time;
            suitable = rung;
        }
    };
    long long tiles = ((m - 1LL) / 128 + 1) * ((n - 1LL) / 256 + 1), steps = (k - 1LL) / 64 + 1;
    double shared = (double)tiles / processors + (double)SHARING_COST / steps;
    if (shared_tiles(tiles, steps, processors) > 0)
        consider(of.sharing,
                 SHARING_LAUNCH + stay_time(STAY_ALONE, STAY_MEMORY, shared, m, n, k, sizeof(T)));
    double small = (double)rounds_of(m, n, small_tiles::BM, small_tiles::BN, processors);
    consider(of.small_tiles, stay_time(SMALL, STAY_MEMORY, small, m, n, k, sizeof(T)));
    consider(of.wgmma_parts, wbk_gemm_wgmma_parts_time_sixteen(m, n, k, processors));
    return suitable;
}

/* The kernel for aligned rows that the cost models choose, and its time in microseconds. */
template <class T> struct suitable_rung {
    typename rungs<T>::rung *rung;
    double time;
};
template <class T>
static suitable_rung<T> suitable_of_all(const rungs<T> &of, int m, int n, int k, int processors) {
    suitable_rung<T> best;
    best.rung = suitable_for(of, m, n, k, processors, &best.time);
    const double direct = wbk_gemm_direct_time(m, n, k, processors);
    const double in_parts = wbk_gemm_parts_time_bf16(m, n, k, processors);
    if (in_parts <= best.time)
        best = {of.parts, in_parts};
    if (direct < best.time)
        best = {of.direct, direct};
    return best;
}

/* Runs that kernel. */
template <class T>
static cudaError_t multiply_aligned(const rungs<T> &of, const T *A, const T *B, T *C, int m, int n,
                                    int k, float alpha, float beta, int processors,
                                    cudaStream_t stream) {
    auto *rung = suitable_of_all(of, m, n, k, processors).rung;
    const cudaError_t status = rung(A, B, C, m, n, k, alpha, beta, stream);
    if (status == cudaErrorNotSupported) /* the device has no wgmma */
        return of.parts(A, B, C, m, n, k, alpha, beta, stream);
    return status;
}

/* Multiplies matrices whose rows are not multiples of 16 bytes. */
template <class T>
static cudaError_t multiply_loose(const rungs<T> &of, const padded::product<T> &p,
                                  row_starts starts, int processors, cudaStream_t stream) {
    const int m = p.m, n = p.n, k = p.k;
    suitable_rung<T> best = {of.parts, wbk_gemm_parts_time_bf16(m, n, k, processors, 1, starts)};
    const double direct = wbk_gemm_direct_time(m, n, k, processors, starts);
    if (direct < best.time)
        best = {of.direct, direct};
    const double shallow = wbk_gemm_shallow_time(m, n, k);
    if (shallow < best.time)
        best = {of.shallow, shallow};
    const padded::plan<T> copies = padded::best_plan(
        p, [&](int n, int k) { return suitable_of_all(of, m, n, k, processors).time; },
        [&](int k) { return wbk_gemm_wgmma_parts_loose_time_sixteen(m, n, k, processors); });
    if (copies.time < best.time) {
        bool done;
        cudaError_t status = padded::run(
            p, copies, stream, &done, [&](const T *A, const T *B, T *C, int cols, int k) {
                if (copies.loose)
                    return of.loose(A, B, cols, C, m, n, k, p.alpha, p.beta, stream);
                return multiply_aligned(of, A, B, C, m, cols, k, p.alpha, p.beta, processors,
                                        stream);
            });
        if (done)
            return status;
    }
    return best.rung(p.A, p.B, p.C, m, n, k, p.alpha, p.beta, stream);
}

template <class T>
static cudaError_t multiply_by_size(const rungs<T> &of, const T *A, const T *B, T *C, int m, int n,
                                    int k, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0 || k <= 0 || alpha == 0)
        return of.parts(A, B, C, m, n, k, alpha, beta, stream);
    const int processors = multiprocessors();
    const row_starts starts = starts_of(A, B, C, n | k);
    if (starts == AT_PIECES)
        return multiply_aligned(of, A, B, C, m, n, k, alpha, beta, processors, stream);
    return multiply_loose(of, {A, B, C, m, n, k, alpha, beta}, starts, processors, stream);
}
