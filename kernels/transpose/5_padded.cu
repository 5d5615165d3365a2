/* Transpose through a padded tile, without bank conflicts.
 *
 * The idea: one unused column, [TILE][TILE + 1], shifts each row of the tile by one bank. So a
 * column's 32 elements are in 32 different banks.
 *
 * Predicted for 8192 x 8192 floats on an H200: the time of 1_copy, 2,032 GB/s. Measured: 1,778
 * after 1,015. The barrier costs the rest.
 *
 * Sectors/request: load 4, store 4. Shared wavefronts/request: store 1, load 1 (float; a double
 * takes two banks, so 2 and 2). */
#include "tiles.cuh"

template <typename T> static __global__ void padded(const T *in, T *out, int rows, int cols) {
    __shared__ T tile[TILE][TILE + 1];
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * cols + col];
    __syncthreads();
    int out_col = blockIdx.y * TILE + threadIdx.x; /* the block's place, transposed */
    int out_row = blockIdx.x * TILE + threadIdx.y;
    if (out_row < cols && out_col < rows)
        out[(size_t)out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" cudaError_t wbk_transpose_padded_f32(const float *in, float *out, int rows, int cols,
                                                cudaStream_t stream) {
    return launch_tiles(padded<float>, dim3(TILE, TILE), in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_padded_f64(const double *in, double *out, int rows, int cols,
                                                cudaStream_t stream) {
    return launch_tiles(padded<double>, dim3(TILE, TILE), in, out, rows, cols, stream);
}
