/* C = alpha A B + beta C for small matrices: the warps of a block divide k.
 *
 * The idea: 512 x 512 has eight tiles of 128 x 256 for an H200's 132 multiprocessors. More tiles
 * must be smaller. But threads with few results read shared memory more often than they multiply.
 * So a thread keeps its 8 x 8 results, and one or two warps cover the tile. A block has four or
 * eight such groups, each with its part of every step of k. Shared memory adds their sums at the
 * end in a fixed order, so the result is the same in every run.
 *
 * Predicted: 512 x 512 x 512 in 128 blocks of 32 x 64: 4.1 microseconds of arithmetic at 0.5 of the
 * peak, 3 to fill the ring, 2 to add and store, 2 for the launch, 11 in total. Measured on an H200
 * (cold caches): 11.7, 22.9 TFLOP/s (9_warp_tiles 8.6, cuBLAS 15.6). 1024: 41.1 TFLOP/s (cuBLAS
 * 33.6).
 *
 * Sectors/request: copies of A 4; of B 16; stores of C 16. k up to 2^24 - 1, n up to 2^26 - 1. */
#include "gemm/pipeline.cuh"
#include "launch.h"

/* One or two warps per tile, times the slices: 256 threads each. */
using medium = shape<64, 128, 32, 32, 64, 8, 8, 4, 4, 1>;
using small = shape<32, 64, 32, 32, 64, 8, 8, 8, 4, 1>;

template <class S, bool VEC>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS) sgemm_slices(const problem p) {
    extern __shared__ __align__(16) float ring[];
    int2 tile = tile_place(blockIdx.x, tiles_down<S>(p), tiles_across<S>(p));
    int row0 = tile.x * S::BM, col0 = tile.y * S::BN;
    float sum[S::TM][S::TN] = {};
    multiply_tile<S, VEC>(p, row0, col0, 0, steps_of<S>(p.k), ring, sum);
    store_tile<S, VEC, false>(p, row0, col0, p.beta, ring, sum);
}

template <class S> static cudaError_t launch(const problem &p, cudaStream_t stream) {
    void (*kernel)(problem) = whole_vectors(p) ? sgemm_slices<S, true> : sgemm_slices<S, false>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)S::SHARED);
    if (status != cudaSuccess)
        return status;
    int tiles = tiles_down<S>(p) * tiles_across<S>(p);
    kernel<<<tiles, S::THREADS, S::SHARED, stream>>>(p);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_sgemm_slices(const float *A, const float *B, float *C, int m, int n,
                                        int k, float alpha, float beta, cudaStream_t stream) {
    problem p = {A, B, C, m, n, alpha == 0 ? 0 : k, alpha, beta};
    if (m < 0 || n < 0 || k < 0 || !fits<small>(p) || !fits<medium>(p))
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    const int processors = multiprocessors();
    const int shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (shared < (int)medium::SHARED) /* sm_75 */
        return launch<small>(p, stream);
    /* chooses the shape that keeps more multiprocessors busy; the larger one is 4 % faster */
    auto waves = [=](int tiles) { return (tiles - 1) / processors + 1; };
    long long by_medium =
        96LL * waves(tiles_down<medium>(p) * tiles_across<medium>(p)) * (medium::BM * medium::BN);
    long long by_small =
        100LL * waves(tiles_down<small>(p) * tiles_across<small>(p)) * (small::BM * small::BN);
    return by_medium <= by_small ? launch<medium>(p, stream) : launch<small>(p, stream);
}
