/* C = alpha A B + beta C by the best rung for the shape.
 *
 * The idea: no tile is best everywhere, but the best can be computed. 15_parts has tiles and parts
 * for every shape, and a model of their time (cost.cuh). The model also covers 12_slices, which is
 * best if one round of its tiles suffices. 14_fetcher's tiles of 128 x 256 are the fastest if
 * enough of them keep all multiprocessors busy, and the device and the matrices allow them. Their
 * time is simple too: rounds of whole tiles, or all steps divided evenly plus a wait for each block
 * that shares a tile.
 *
 * Predicted: at each shape the time of the best of the three, plus 2 % on average. Measured: the
 * shape sweep of `make bench-gpu`; BENCHMARKS.md has the table beside cuBLAS. */
#include <stdint.h>

#include "gemm/cost.cuh"
#include "gemm/shares.cuh"
#include "warpbook.h"

constexpr int LIMIT_K = (1 << 24) - 1, LIMIT_N = (1 << 26) - 1; /* of the rungs with tiles */
constexpr int FETCHER_DEPTH = 8, FETCHER_COST = 16;             /* as in 14_fetcher */
/* Microseconds on an H200: a launch; a step of a tile; its start and end; sharing tiles; each link
 * in the chain of blocks that share one tile. */
constexpr double FETCHER_LAUNCH = 3.9, FETCHER_STEP = 1.21, FETCHER_EDGE = 3.8, SHARING = 9.2,
                 LINK = 7.6;

/* 12_slices' two kinds of tiles, one block per multiprocessor. */
static const tile_kind SLICES[] = {
    {64, 128, 32, 1, {1.451, 1.451, 1.73, 0}, {1.60, 1.60, 3.3, 0}},
    {32, 64, 32, 1, {0.413, 0.413, 0.85, 0}, {0.45, 0.45, 1.6, 0}},
};

/* Returns true if 14_fetcher supports these matrices on the current device. */
static bool fetches(const float *A, const float *B, const float *C, int n, int k) {
    return device_attribute(cudaDevAttrComputeCapabilityMajor, 0) == 9 &&
           device_attribute(cudaDevAttrComputeCapabilityMinor, 0) == 0 && n % 4 == 0 &&
           k % 4 == 0 && ((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) % 16 == 0;
}

static double fetcher_time(int m, int n, int k, int processors) {
    const long long tiles = whole(m, 128) * whole(n, 256), steps = whole(k, FETCHER_DEPTH);
    if (tiles > 0x7fffffff)
        return INFINITY;
    const int shared = tiles_to_share((int)tiles, (int)steps, processors, FETCHER_COST);
    double rounds =
        shared ? (double)(tiles - shared) / processors : (double)whole(tiles, processors);
    double computing = rounds * (steps * FETCHER_STEP + FETCHER_EDGE) +
                       (double)shared * steps / processors * FETCHER_STEP;
    double time = FETCHER_LAUNCH + pow(pow(computing, 4) + pow(crossing_time(m, n, k), 4), 0.25);
    return shared ? time + SHARING + LINK * (double)whole(processors, shared) : time;
}

extern "C" cudaError_t wbk_sgemm_best(const float *A, const float *B, float *C, int m, int n, int k,
                                      float alpha, float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (k > LIMIT_K || n > LIMIT_N || whole(m, 8) * whole(n, 8) > 0x7fffffff)
        return wbk_sgemm_async(A, B, C, m, n, k, alpha, beta, stream);
    const int processors = multiprocessors();
    const bool vectors = n % 4 == 0 && ((uintptr_t)B | (uintptr_t)C) % 16 == 0;
    const double parts = wbk_sgemm_parts_time(m, n, k, vectors);
    double slices = INFINITY;
    for (const tile_kind &kind : SLICES)
        slices = fmin(slices, parts_time(kind, m, n, k, 1, processors, vectors));
    if (k > 0 && alpha != 0 && fetches(A, B, C, n, k) &&
        fetcher_time(m, n, k, processors) < fmin(parts, slices)) {
        cudaError_t status = wbk_sgemm_fetcher(A, B, C, m, n, k, alpha, beta, stream);
        if (status != cudaErrorNotSupported && status != cudaErrorInvalidValue)
            return status; /* otherwise there is no code for the device, or m is too large */
    }
    return (slices < parts ? wbk_sgemm_slices : wbk_sgemm_parts)(A, B, C, m, n, k, alpha, beta,
                                                                 stream);
}
