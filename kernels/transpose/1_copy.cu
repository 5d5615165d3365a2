/* A copy, one element per thread: the limit of every transpose.
 *
 * The idea: a transpose moves each element in once and out once, as this kernel does. The ratio to
 * this kernel (and to cudaMemcpy) shows how good a transpose is.
 *
 * Predicted for 8192 x 8192 floats on an H200: cudaMemcpy's 4,270 GB/s. Measured: 2,032. One
 * element per thread puts 1.1 MB in flight on the whole device, but 4.8 TB/s times the 0.7 us of a
 * load need 3.4 MB. 6_padded_8 and 7_vector fix that and are faster.
 *
 * A warp reads and writes 32 consecutive elements. Sectors/request: load 4, store 4 (float; double
 * 8 and 8). */
#include "tiles.cuh"

template <typename T> static __global__ void copy(const T *in, T *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        out[(size_t)row * cols + col] = in[(size_t)row * cols + col];
}

extern "C" cudaError_t wbk_transpose_copy_f32(const float *in, float *out, int rows, int cols,
                                              cudaStream_t stream) {
    return launch_tiles(copy<float>, dim3(TILE, TILE), in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_copy_f64(const double *in, double *out, int rows, int cols,
                                              cudaStream_t stream) {
    return launch_tiles(copy<double>, dim3(TILE, TILE), in, out, rows, cols, stream);
}
