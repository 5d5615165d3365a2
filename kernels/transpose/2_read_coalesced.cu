/* Transpose with a coalesced read and a scattered write.
 *
 * The idea: the first version everyone writes. threadIdx.x runs along a row of the input, so the
 * read is coalesced. In the output the same lanes are a whole column apart, so each lane's 4-byte
 * store takes a sector of 32 bytes.
 *
 * Predicted for 8192 x 8192 floats on an H200: 36 sectors for 8, so 2/9 of a copy, 950 GB/s.
 * Measured: 556. A 4-byte store must be merged with the rest of its sector, which costs the cache
 * more than a whole sector.
 *
 * Sectors/request: load 4, store 32 (float; double 8 and 32). */
#include "warpbook.h"

constexpr int TILE = 32;

template <typename T>
static __global__ void read_coalesced(const T *in, T *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        out[(size_t)col * rows + row] = in[(size_t)row * cols + col];
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    dim3 grid((cols - 1) / TILE + 1, (rows - 1) / TILE + 1);
    if (grid.y > 65535)
        return cudaErrorInvalidValue; /* more than two million rows: the limit of the grid's y */
    read_coalesced<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_transpose_read_coalesced_f32(const float *in, float *out, int rows,
                                                        int cols, cudaStream_t stream) {
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_read_coalesced_f64(const double *in, double *out, int rows,
                                                        int cols, cudaStream_t stream) {
    return launch(in, out, rows, cols, stream);
}
