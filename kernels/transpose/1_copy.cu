/* A copy, element by element: the limit of every transpose.
 *
 * What it teaches: a transpose moves each element once in and once out, as this does; the ratio to
 * this kernel (and to cudaMemcpy) is how good a transpose is.
 *
 * Predicted for 8192 x 8192 floats on an H200: what cudaMemcpy reaches, 4,270 GB/s. Measured:
 * 2,032. One element a thread is 4 bytes a thread in flight, 1.1 MB on the whole device, where 4.8
 * TB/s times the 0.7 us of a load want 3.4 MB: a copy with the right accesses and too few of them.
 * 6_padded_8 and 7_vector do something about that, and are faster than this one.
 *
 * The warp reads and writes 32 elements in a row.
 * Sectors/request: load 4, store 4 (float; double 8 and 8). */
#include "warpbook.h"

constexpr int TILE = 32;

template <typename T> static __global__ void copy(const T *in, T *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        out[(size_t)row * cols + col] = in[(size_t)row * cols + col];
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0)
        return cudaSuccess;
    dim3 grid((cols - 1) / TILE + 1, (rows - 1) / TILE + 1);
    if (grid.y > 65535)
        return cudaErrorInvalidValue; /* more than two million rows: the grid's y ends there */
    copy<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_transpose_copy_f32(const float *in, float *out, int rows, int cols,
                                              cudaStream_t stream) {
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_copy_f64(const double *in, double *out, int rows, int cols,
                                              cudaStream_t stream) {
    return launch(in, out, rows, cols, stream);
}
