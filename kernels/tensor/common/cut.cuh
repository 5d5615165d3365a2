/* cut.cuh: tiles on wgmma with the steps of k cut in parts, for bf16, fp16 and TF32 (see
 * 18_wgmma_parts). A block multiplies its part of one tile and ends. One warp fetches, the others
 * multiply: each warpgroup 64 rows of A or, in TF32, 64 columns of B (turned.cuh). Several blocks
 * fit on a multiprocessor, so one starts or ends while another multiplies.
 *
 * Sums of several parts go to memory, and any.cuh's second kernel adds them in the order of the
 * parts. So every call gives the same bits. */
#pragma once

#include "parts.cuh"
#include "turned.cuh"

namespace cut {

/* The block's ROWS x COLS; stages of its ring; blocks that fit on a multiprocessor at once. A step
 * is 128 bytes of A's rows. */
template <class T, int ROWS_, int COLS_, int STAGES_, int BLOCKS_> struct tile {
    static constexpr int ROWS = ROWS_, COLS = COLS_, STAGES = STAGES_, BLOCKS = BLOCKS_;
    static constexpr bool TURNED = sizeof(T) == 4;
    static constexpr int GROUPS = (TURNED ? COLS : ROWS) / 64, SUMS = (TURNED ? ROWS : COLS) / 2;
    static constexpr int STEP = 128 / sizeof(T), BOX_BYTES = STEP * 128 /* STEP columns of B */;
    static constexpr int A_BYTES = ROWS * 128, STAGE_BYTES = A_BYTES + COLS * 128;
    static constexpr int THREADS = GROUPS * 128 + 32;
    static constexpr int SHARED = STAGES * (STAGE_BYTES + 16) + 1024 /* to align them */;
    static_assert(TURNED || COLS / 64 <= STAGES, "results leave through the ring");
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Rounds a warp's results as round_results() does, where C's rows start anywhere. */
template <class S, class T>
static __device__ __forceinline__ void round_loose(pair_type<T> (&rounded)[S::SUMS / 2],
                                                   const float (&sum)[S::SUMS], const product<T> &p,
                                                   int row, int col) {
    row += threadIdx.x % 32 / 4;
    col += threadIdx.x % 4 * 2;
    auto scaled_at = [&](int r, int c, float x) {
        return p.alpha * x +
               (p.beta != 0 && r < p.m && c < p.n ? p.beta * float(p.C[(size_t)r * p.n + c]) : 0);
    };
#pragma unroll
    for (int i = 0; i < S::SUMS / 2; i++) {
        const int r = row + i % 2 * 8, c = col + i / 2 * 8;
        rounded[i] = pair_of(scaled_at(r, c, sum[2 * i]), scaled_at(r, c + 1, sum[2 * i + 1]), T());
    }
}

/* Copies a part that store_part() left in `buffer` to C, whose rows start anywhere: a row of 64 at
 * a time, by words. If a row starts between two words, its first and last element come alone. */
template <class T>
static __device__ __forceinline__ void store_loose(const product<T> &p, const char *buffer, int row,
                                                   int col) {
    const int lane = threadIdx.x % 32, end = min(p.n - col, 64);
    const int rows = end > 0 ? min(p.m - row, 16) : 0;
    __syncwarp();
    for (int r = 0; r < rows; r++) {
        T *to = p.C + (size_t)(row + r) * p.n + col;
        auto at = [&](int c) {
            return *(const T *)(buffer + r * 128 + ((c / 8 ^ r % 8) * 16) + c % 8 * sizeof(T));
        };
        for (int c = lane * 2 - (uintptr_t)to / 2 % 2; c < end; c += 64) {
            if (c >= 0 && c + 1 < end) {
                alignas(4) const T two[2] = {at(c), at(c + 1)};
                *(uint32_t *)(to + c) = *(const uint32_t *)two;
            } else if (c >= 0)
                to[c] = at(c);
            else
                to[0] = at(0);
        }
    }
}

/* Sends a tile's last results, bf16 or fp16, through this warp's rows of A in each stage. The
 * warpgroup must have read them. LOOSE: C's rows start anywhere. `memory` is where `tiles` is. */
template <class S, bool LOOSE, class T>
static __device__ __forceinline__ void send(const float (&sum)[S::SUMS], uint32_t tiles,
                                            const char *memory, const CUtensorMap *to,
                                            const product<T> &p, int row0, int col0) {
    const int warp = threadIdx.x / 32, rows = warp * 16;
    pair_type<T> rounded[S::SUMS / 2];
    if constexpr (LOOSE)
        round_loose<S>(rounded, sum, p, row0 + rows, col0);
    else
        round_results(rounded, sum, p.C, row0 + rows, col0, p.m, p.n, p.alpha, p.beta);
    asm volatile("bar.sync %0, 128;" ::"r"(1 + warp / 4) : "memory");
#pragma unroll
    for (int part = 0; part < S::COLS / 64; part++) {
        const uint32_t at = part * S::STAGE_BYTES + rows * 128;
        const int col = col0 + part * 64;
        if constexpr (LOOSE) {
            store_part(tiles + at, rounded, part);
            store_loose(p, memory + at, row0 + rows, col);
        } else
            send_part(tiles + at, rounded, part,
                      [&] { tma_store(to, row0 + rows, col, tiles + at); });
    }
    if (!LOOSE && threadIdx.x % 32 == 0)
        tma_store_wait<0>();
}

/* Stores a part's sums in memory. `to` is the start of the block's ROWS x COLS. */
template <class S>
static __device__ __forceinline__ void leave(float *to, int row, int col, float x, float y) {
    __stcg((float2 *)&to[row * S::COLS + col], make_float2(x, y));
}

/* A warpgroup's bf16 or fp16 results have the order of wgmma.cuh. */
template <class S>
static __device__ __forceinline__ void leave_all(const float (&sum)[S::SUMS], float *to) {
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < S::SUMS; i += 2)
        leave<S>(to, row + i % 4 / 2 * 8, col + i / 4 * 8, sum[i], sum[i + 1]);
}

/* Calls multiply(step, stage, last) for each step. After it the previous step is done; `last` is
 * its stage. */
template <class S, class Multiply>
static __device__ __forceinline__ void each_step(int steps, uint32_t tiles, uint32_t full,
                                                 uint32_t empty, Multiply multiply) {
    Ring<S::STAGES> ring;
    int last = 0;
    auto one = [&](auto odd, int step) {
        barrier_wait(full + 8 * ring.stage, ring.parity);
        multiply(odd, step, tiles + ring.stage * S::STAGE_BYTES);
        if (step > 0) { /* a wait in the first step would make ptxas serialise TF32's */
            wgmma_wait<1>();
            if (threadIdx.x % 128 == 0)
                barrier_arrive(empty + 8 * last);
        }
        last = ring.stage;
        ring.next();
    };
    for (int step = 0; step < steps; step += 2) {
        one(std::false_type(), step);
        if (step + 1 < steps)
            one(std::true_type(), step + 1);
    }
    wgmma_wait<0>();
}

#endif

/* One block: a part of a tile. Its sums go to C or, for one of several parts, to `sums`, ROWS x
 * COLS per block. LOOSE: C's rows start anywhere. */
template <class S, bool LOOSE, class T>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    gemm_cut(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
             const __grid_constant__ CUtensorMap to, const product<T> p, int parts, float *sums) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    const uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
    const uint32_t full = tiles + S::STAGES * S::STAGE_BYTES, empty = full + S::STAGES * 8;
    const int nth = blockIdx.x / parts, part = blockIdx.x - nth * parts;
    const int all = (p.k - 1) / S::STEP + 1, begin = (int)((long long)all * part / parts);
    const int steps = (int)((long long)all * (part + 1) / parts) - begin;
    const int2 place = quick_tile_of(nth, (p.m - 1) / S::ROWS + 1, (p.n - 1) / S::COLS + 1);
    const int row0 = place.x * S::ROWS, col0 = place.y * S::COLS;
    const bool fetches = threadIdx.x == S::GROUPS * 128;
    auto fetch = [&](int step, int stage) {
        const uint32_t a = tiles + stage * S::STAGE_BYTES, b = a + S::A_BYTES;
        const int depth = (begin + step) * S::STEP;
        barrier_expect(full + 8 * stage, S::STAGE_BYTES);
        tma_load(a, &A, row0, depth, full + 8 * stage);
#pragma unroll
        for (int box = 0; box < S::COLS / S::STEP; box++)
            tma_load(b + box * S::BOX_BYTES, &B, depth, col0 + box * S::STEP, full + 8 * stage);
    };
    if (fetches) {
        tma_prefetch(&A);
        tma_prefetch(&B);
        init_ring<S::STAGES>(full, empty, S::GROUPS);
        for (int step = 0; step < S::STAGES && step < steps; step++)
            fetch(step, step); /* before the block's first barrier */
    }
    __syncthreads();
    if (threadIdx.x / 32 == S::GROUPS * 4) {
        Ring<S::STAGES> ring;
        for (int step = S::STAGES; fetches && step < steps; step++, ring.next()) {
            barrier_wait(empty + 8 * ring.stage, ring.parity);
            fetch(step, ring.stage);
        }
        overlap_next();
        return;
    }
    float sum[S::SUMS];
    float *mine = sums + (size_t)blockIdx.x * (S::ROWS * S::COLS);
    if constexpr (S::TURNED) {
        const turned::Lane lane(threadIdx.x / 32);
        turned::words b[2]; /* of this step and, while it is still read, of the previous one */
        each_step<S>(steps, tiles, full, empty, [&](auto odd, int step, uint32_t stage) {
            turned::multiply_step(sum, b[decltype(odd)::value], stage, stage + S::A_BYTES, lane,
                                  step > 0);
        });
        overlap_next();
        if (sums)
            turned::each_pair(sum, lane, [&](int row, int col, float x, float y) {
                leave<S>(mine, row, col, x, y);
            });
        else
            turned::store_pairs<LOOSE>(sum, lane, p.C, row0, col0, p.m, p.n, p.alpha, p.beta);
    } else {
        const uint32_t rows = threadIdx.x / 128 * (64 * 128); /* of this warpgroup */
        each_step<S>(steps, tiles, full, empty, [&](auto, int step, uint32_t stage) {
            multiply_step(sum, stage + rows, stage + S::A_BYTES, step > 0, T());
        });
        overlap_next();
        if (sums)
            leave_all<S>(sum, mine);
        else
            send<S, LOOSE>(sum, tiles, memory + (tiles - shared_address(memory)), &to, p, row0,
                           col0);
    }
#endif
}

/* C = alpha A B + beta C with these tiles, k in at most `parts` parts and at most as many as it has
 * steps. A and B meet the conditions that begin() checks; C does so unless LOOSE. B has rows of
 * b_cols elements, the first p.n of which count. */
template <class S, bool LOOSE, class T>
static cudaError_t run(const product<T> &p, int b_cols, int parts, cudaStream_t stream) {
    auto *kernel = gemm_cut<S, LOOSE, T>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED);
    CUtensorMap a, b, to = {};
    if (status == cudaSuccess)
        status = operand_maps(&a, &b, p.A, p.B, p.m, b_cols, p.k, S::ROWS, S::STEP);
    if constexpr (!S::TURNED && !LOOSE)
        if (status == cudaSuccess)
            status = tile_map(&to, (const T *)p.C, p.m, p.n, 16);
    if (status != cudaSuccess)
        return status;
    const int tiles = tiles_down<S>(p.m) * tiles_across<S>(p.n);
    const size_t numbers = (size_t)tiles * (S::ROWS * S::COLS);
    float *sums = nullptr;
    if (parts > 1 && !(sums = (float *)pool_memory(numbers * parts * sizeof *sums, stream)))
        parts = 1; /* slower, but also correct */
    kernel<<<tiles * parts, S::THREADS, S::SHARED, stream>>>(a, b, to, p, parts, sums);
    status = cudaGetLastError();
    return sums ? add_and_free<T, S, !LOOSE>(p, parts, sums, status, stream) : status;
}

} // namespace cut
