/* launch.cuh: starts a product with one block per tile of C, and orders the tiles. */
#pragma once

#include "warpbook.h"

template <typename T>
using gemm_kernel = void(const T *A, const T *B, T *C, int m, int n, int k, T alpha, T beta);

/* Returns the number of tiles of `size` that cover n elements. */
static inline unsigned tiles(int n, int size) {
    return (unsigned)((n - 1) / size + 1);
}

/* Returns the place of tile number `tile`: bands of 8 tile rows, down each column of a band. So
 * concurrent tiles share panels of A and B in L2. */
static __device__ __forceinline__ int2 tile_place(int tile, int tiles_m, int tiles_n) {
    constexpr int BAND = 8;
    int band = tile / (BAND * tiles_n), first = band * BAND;
    int height = min(BAND, tiles_m - first), within = tile - band * BAND * tiles_n;
    return make_int2(first + within % height, within / height);
}

template <typename T>
static cudaError_t launch(gemm_kernel<T> *kernel, dim3 grid, dim3 threads, const T *A, const T *B,
                          T *C, int m, int n, int k, T alpha, T beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0 || grid.y > 65535)
        return cudaErrorInvalidValue; /* the limit of the grid's y */
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read then (the BLAS rule) */
    kernel<<<grid, threads, 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
