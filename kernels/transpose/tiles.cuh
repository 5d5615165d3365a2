/* tiles.cuh: starts a transposition with one block per tile of the input. */
#pragma once

#include "warpbook.h"

constexpr int TILE = 32; /* elements, down and across */

template <typename T> using tile_kernel = void(const T *in, T *out, int rows, int cols);

/* `threads` is the shape of a block. The grid's x counts tiles across, its y tiles down. */
template <typename T>
static cudaError_t launch_tiles(tile_kernel<T> *kernel, dim3 threads, const T *in, T *out, int rows,
                                int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    dim3 grid((cols - 1) / TILE + 1, (rows - 1) / TILE + 1);
    if (grid.y > 65535)
        return cudaErrorInvalidValue; /* more than two million rows: the limit of the grid's y */
    kernel<<<grid, threads, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}
