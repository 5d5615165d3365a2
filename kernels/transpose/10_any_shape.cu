/* Transpose of any shape: each block writes whole sectors.
 *
 * What it teaches: in a matrix of 8191 columns no two neighbouring rows start at the same place in
 * a sector of 32 bytes, so a tile's piece of an output row starts and ends inside one, and the rest
 * of it is some other block's. The cache can't take half a sector without fetching the other half
 * from DRAM first. A read that takes a few bytes too many costs little; a write must not. So the
 * block does not own columns a..b of the output, but in each row the whole sectors from the first
 * that starts in a..b to the last that does; for that it reads up to a sector's worth of rows more
 * than its tile has. 4-byte accesses in place of 16-byte ones need no alignment, and with a row of
 * the tile 512 bytes long and 36 loads a thread in flight they are no loss.
 *
 * Predicted: the two partial sectors of nine in 64 elements gone, a fifth of the writes. Measured
 * on an H200 (GB/s, 6_padded_8 before; cublasSgeam 3513, 3462): 8191 x 8193 2375 -> 3925,
 * 10007 x 5003 2404 -> 3900. The rest to a copy (4169 and 4132 there) is instructions: four times as many loads and stores keep the issue slots 72 % busy.
 *
 * Multiples of four elements and aligned pointers are 9_kept's: its launcher calls this one for the
 * rest, this one calls it for those.
 * Sectors/request: load 5 (128 bytes over five sectors), store 4, or less at the edges. */
#include <stdint.h>

#include "warpbook.h"

constexpr int THREADS = 256, ROWS = 64, SECTOR = 32;

/* ROWS x COLS of the input, and the rows below that complete sectors of the output. */
template <typename T> struct tile_of {
    static constexpr int COLS = 512 / sizeof(T), MORE = SECTOR / sizeof(T), HIGH = ROWS + MORE;
    static constexpr int LOADS = HIGH * COLS / THREADS, STORES = ROWS * COLS / THREADS;
    T element[HIGH][COLS + 1];
};

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    any_shape(const T *__restrict__ in, T *__restrict__ out, int rows, int cols) {
    typedef tile_of<T> Tile;
    __shared__ Tile tile;
    unsigned down = (unsigned)(rows - 1) / ROWS + 1;
    int col0 = (int)(blockIdx.x / down) * Tile::COLS, row0 = (int)(blockIdx.x % down) * ROWS;
    int height = min(rows - row0, Tile::HIGH), width = min(cols - col0, Tile::COLS);

    int x = threadIdx.x % Tile::COLS, y0 = threadIdx.x / Tile::COLS;
    constexpr int LOADED = THREADS / Tile::COLS; /* rows at a time */
    const T *from = in + (size_t)(row0 + y0) * cols + col0 + x;
    T element[Tile::LOADS];
#pragma unroll
    for (int i = 0; i < Tile::LOADS; i++)
        if (y0 + i * LOADED < height && x < width)
            element[i] = from[(size_t)(i * LOADED) * cols];
#pragma unroll
    for (int i = 0; i < Tile::LOADS; i++)
        tile.element[y0 + i * LOADED][x] = element[i];
    __syncthreads();

    int y = threadIdx.x % ROWS, c0 = threadIdx.x / ROWS;
#pragma unroll
    for (int i = 0; i < Tile::STORES; i++) {
        int c = c0 + i * (THREADS / ROWS);
        if (c >= width)
            break;
        T *to = out + (size_t)(col0 + c) * rows + row0; /* this tile's piece of an output row */
        int skip = (int)((SECTOR - (uintptr_t)to % SECTOR) % SECTOR / sizeof(T));
        if (skip + y < height)
            to[skip + y] = tile.element[skip + y][c];
        if (row0 == 0 && y < skip && y < height) /* the row's start has no block before it */
            to[y] = tile.element[y][c];
    }
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    size_t tiles = ((size_t)(cols - 1) / tile_of<T>::COLS + 1) * ((size_t)(rows - 1) / ROWS + 1);
    if (tiles > 0x7fffffff)
        return cudaErrorInvalidValue; /* the grid ends there */
    any_shape<<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

/* What 9_kept takes. */
static bool aligned(const void *in, const void *out, int rows, int cols, int v) {
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows % v == 0 && cols % v == 0 &&
           rows > 0 && cols > 0;
}

extern "C" cudaError_t wbk_transpose_any_shape_f32(const float *in, float *out, int rows, int cols,
                                                   cudaStream_t stream) {
    if (aligned(in, out, rows, cols, 4))
        return wbk_transpose_kept_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_any_shape_f64(const double *in, double *out, int rows,
                                                   int cols, cudaStream_t stream) {
    if (aligned(in, out, rows, cols, 2))
        return wbk_transpose_kept_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
