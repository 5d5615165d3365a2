/* C = alpha A B + beta C for every shape: suitable tiles, and k in as many parts as needed.
 *
 * The idea: matrices are seldom square. 128 x 192 x 1024 has one and a half tiles of 128 x 128 for
 * 132 multiprocessors. 20 x 9000 x 4000 fills less than a sixth of a row of tiles 128 high.
 * - k in parts: several blocks compute one tile, each a part of its steps, and store their sums in
 *   memory. A second kernel starts while the first still runs (overlap.h), and adds them in the
 *   order of the parts. So the result is the same in every run. 13_stream_k hands sums from block
 *   to block instead, 8 microseconds per link: good for two, but not for a hundred (1,016
 *   microseconds at 128 x 192 x 1024, now 10).
 * - Flat, narrow and small tiles besides square ones. A tile of 8 x 64 has enough results for one
 *   warp, four warps divide each step, and five blocks share a multiprocessor.
 * - Several small blocks on a multiprocessor hide each other's barriers, first copies and stores,
 *   which dominate for short k.
 * - cost.cuh computes the tiles and the number of parts by a model.
 *
 * Predicted from 19 kinds of tiles at 600 random shapes (geometric means, cuBLAS = 1): 1.24 with
 * these eight kinds, 1.27 with all. Measured on an H200 at 300 other shapes by 16_best, which
 * mostly uses this rung: 1.20; 95 of 100 at least 0.89; before (13_stream_k only) 0.57.
 *
 * Sectors/request: copies of A 4; of B 16 or fewer; stores of C 4 to 16. k up to 2^24 - 1, n up to
 * 2^26 - 1. */
#include "gemm/cost.cuh"
#include "gemm/pipeline.cuh"
#include "gemm/shares.cuh"
#include "overlap.h"

using tile_128x128 = shape<128, 128, 16, 64, 32, 8, 8, 1, 4, 2>;
using tile_64x128 = shape<64, 128, 8, 32, 64, 8, 8, 1, 4, 4>;
using tile_64x64 = shape<64, 64, 16, 32, 32, 8, 4, 1, 4, 5>;
using tile_32x64 = shape<32, 64, 16, 32, 32, 8, 4, 2, 4, 5>;
using tile_32x32 = shape<32, 32, 16, 32, 32, 8, 4, 4, 4, 5>;
using tile_16x64 = shape<16, 64, 32, 16, 64, 8, 4, 4, 4, 5>;
using tile_8x64 = shape<8, 64, 32, 8, 64, 4, 4, 4, 4, 5>;
using tile_64x8 = shape<64, 8, 32, 64, 8, 4, 4, 4, 4, 5>;

/* One block: part blockIdx.x / tiles of the steps of tile blockIdx.x % tiles. A single part goes
 * into C. Otherwise the sums, without alpha, go into `sums`: BM x BN per block, with a tile's parts
 * adjacent. */
template <class S, bool VEC>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    sgemm_parts(const problem p, int parts, float *sums) {
    extern __shared__ __align__(16) float ring[];
    const int down = tiles_down<S>(p), across = tiles_across<S>(p), tiles = down * across;
    const int nth = blockIdx.x % tiles, part = blockIdx.x / tiles, steps = steps_of<S>(p.k);
    int2 tile = tile_place(nth, down, across);
    int row0 = tile.x * S::BM, col0 = tile.y * S::BN;
    float sum[S::TM][S::TN] = {};
    multiply_tile<S, VEC>(p, row0, col0, (int)((long long)steps * part / parts),
                          (int)((long long)steps * (part + 1) / parts), ring, sum);
    if (parts == 1) {
        store_tile<S, VEC, false>(p, row0, col0, p.beta, ring, sum);
        return;
    }
    overlap_next();
    float *mine = sums + ((size_t)nth * parts + part) * (S::BM * S::BN);
    each_result<S, VEC>(ring, sum, [&](int row, int col, float4 v) {
        if constexpr (VEC)
            __stcg((float4 *)&mine[row * S::BN + col], v);
        else
            __stcg(&mine[row * S::BN + col], v.x);
    });
}

enum { ADDERS = 128 };

/* Computes C from the parts' sums: four results per thread if VEC, else one, for tiles of rows x
 * cols one after another. */
template <bool VEC>
static __global__ void __launch_bounds__(ADDERS)
    add_parts(const problem p, int rows, int cols, int parts, const float *sums) {
    constexpr int EACH = VEC ? 4 : 1;
    const int down = (p.m - 1) / rows + 1, across = (p.n - 1) / cols + 1, size = rows * cols;
    const size_t id = ((size_t)blockIdx.x * ADDERS + threadIdx.x) * EACH;
    const int nth = (int)(id / size), at = (int)(id % size);
    if (nth >= down * across)
        return;
    int2 tile = tile_place(nth, down, across);
    const int row = tile.x * rows + at / cols, col = tile.y * cols + at % cols;
    if (row >= p.m || col >= p.n)
        return;
    const float *from = sums + (size_t)nth * parts * size + at;
    float4 v = {};
    overlap_wait();
#pragma unroll 8
    for (int part = 0; part < parts; part++, from += size) {
        if constexpr (VEC) {
            float4 w = __ldcg((const float4 *)from);
            v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
        } else
            v.x += __ldcg(from);
    }
    store_result<VEC, false>(p, row, col, p.beta, v);
}

template <class S, bool VEC>
static cudaError_t run(const problem &p, int parts, cudaStream_t stream) {
    cudaError_t status = cudaFuncSetAttribute(
        sgemm_parts<S, VEC>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)S::SHARED);
    if (status != cudaSuccess)
        return status;
    const int tiles = tiles_down<S>(p) * tiles_across<S>(p);
    const size_t numbers = (size_t)tiles * parts * (S::BM * S::BN);
    float *sums = nullptr;
    if (parts > 1 && !(sums = (float *)pool_memory(numbers * sizeof(float), stream)))
        parts = 1; /* slower, but also correct */
    sgemm_parts<S, VEC><<<tiles * parts, S::THREADS, S::SHARED, stream>>>(p, parts, sums);
    status = cudaGetLastError();
    if (!sums)
        return status;
    const size_t threads = (size_t)tiles * (S::BM * S::BN) / (VEC ? 4 : 1);
    if (status == cudaSuccess)
        status = launch_overlapped(add_parts<VEC>, (unsigned)((threads - 1) / ADDERS + 1), ADDERS,
                                   stream, p, (int)S::BM, (int)S::BN, parts, (const float *)sums);
    cudaFreeAsync(sums, stream);
    return status;
}

template <class S> static cudaError_t run_either(const problem &p, int parts, cudaStream_t stream) {
    return whole_vectors(p) ? run<S, true>(p, parts, stream) : run<S, false>(p, parts, stream);
}

/* A kind of tiles for the model, and its launcher. */
struct choice {
    tile_kind kind;
    cudaError_t (*run)(const problem &, int, cudaStream_t);
    size_t shared;
};

template <class S> static choice choice_of(tile_times vectors, tile_times scalars) {
    return {{S::BM, S::BN, S::BK, S::BLOCKS, vectors, scalars}, run_either<S>, S::SHARED};
}

static const choice CHOICES[] = {
    choice_of<tile_128x128>({1.393, 1.340, 1.54, 0.00}, {1.573, 1.427, 2.69, 3.01}),
    choice_of<tile_64x128>({0.425, 0.355, 0.72, 0.00}, {0.529, 0.395, 1.42, 1.09}),
    choice_of<tile_64x64>({0.470, 0.407, 0.37, 0.00}, {0.490, 0.420, 0.58, 1.24}),
    choice_of<tile_32x64>({0.269, 0.205, 0.38, 0.16}, {0.290, 0.226, 0.35, 0.72}),
    choice_of<tile_32x32>({0.228, 0.125, 0.32, 0.05}, {0.116, 0.137, 0.10, 0.95}),
    choice_of<tile_16x64>({0.277, 0.223, 0.31, 0.16}, {0.290, 0.290, 0.27, 0.63}),
    choice_of<tile_8x64>({0.163, 0.163, 0.11, 0.40}, {0.245, 0.245, 0.00, 0.43}),
    choice_of<tile_64x8>({0.300, 0.300, 0.23, 0.00}, {0.306, 0.306, 0.19, 0.00}),
};

enum { MAX_PARTS = 512, LEAST_STEPS = 2 /* LEAST_STEPS: of a part */ };

/* Returns the next number of parts to try after `parts`: enough for j blocks per multiprocessor, up
 * to three full rounds and the number of steps. Returns 0 if there is none. */
static long long next_parts(const tile_kind &kind, int m, int n, int k, int processors,
                            long long parts, int *j) {
    const long long tiles = whole(m, kind.rows) * whole(n, kind.cols);
    const long long most = whole(k > 0 ? k : 1, kind.depth) / LEAST_STEPS;
    while (++*j <= 3 * kind.resident) {
        if (*j > kind.resident && *j % kind.resident != 0)
            continue;
        long long next = (long long)processors * *j / tiles;
        next = next < most ? next : most;
        next = next < MAX_PARTS ? next : (long long)MAX_PARTS;
        if (next > parts)
            return next;
    }
    return 0;
}

/* Finds the cheapest tiles and number of parts by the model. Returns the time. */
static double choose(int m, int n, int k, bool vectors, const choice **chosen, int *parts) {
    const int processors = multiprocessors();
    const size_t shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, 48 << 10);
    double least = INFINITY;
    for (const choice &c : CHOICES) {
        if (c.shared > shared)
            continue;
        int j = 0;
        for (long long s = 1; s > 0; s = next_parts(c.kind, m, n, k, processors, s, &j)) {
            double time = parts_time(c.kind, m, n, k, s, processors, vectors);
            if (time < least)
                least = time, *chosen = &c, *parts = (int)s;
        }
    }
    return least;
}

double wbk_sgemm_parts_time(int m, int n, int k, bool vectors) {
    int parts;
    const choice *chosen;
    return choose(m, n, k, vectors, &chosen, &parts);
}

extern "C" cudaError_t wbk_sgemm_parts(const float *A, const float *B, float *C, int m, int n,
                                       int k, float alpha, float beta, cudaStream_t stream) {
    problem p = {A, B, C, m, n, alpha == 0 ? 0 : k, alpha, beta};
    if (m < 0 || n < 0 || k < 0 || !fits<tile_128x128>(p) || !fits<tile_64x8>(p) ||
        !fits<tile_8x64>(p))
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    int parts = 1;
    const choice *chosen = &CHOICES[0];
    choose(m, n, p.k, whole_vectors(p), &chosen, &parts);
    return chosen->run(p, parts, stream);
}
