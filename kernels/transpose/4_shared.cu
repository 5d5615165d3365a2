/* Transpose through a tile in shared memory, with bank conflicts.
 *
 * The idea: read a 32 x 32 tile row by row and write it column by column. Both sides of global
 * memory are now coalesced. But tile[threadIdx.x][threadIdx.y] puts the 32 lanes of a warp 32 words
 * apart, all in one bank, so shared memory serves them one after another.
 *
 * Predicted for 8192 x 8192 floats on an H200: 35 cycles of shared memory and L1 per warp, 32 of
 * them for one load: 1,900 GB/s. Measured: 1,015, as if each pass took two cycles, and slower than
 * 3_write_coalesced. The next file fixes that.
 *
 * Sectors/request: load 4, store 4. Shared wavefronts/request: store 1, load 32 (float). */
#include "tiles.cuh"

template <typename T> static __global__ void shared(const T *in, T *out, int rows, int cols) {
    __shared__ T tile[TILE][TILE];
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

extern "C" cudaError_t wbk_transpose_shared_f32(const float *in, float *out, int rows, int cols,
                                                cudaStream_t stream) {
    return launch_tiles(shared<float>, dim3(TILE, TILE), in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_shared_f64(const double *in, double *out, int rows, int cols,
                                                cudaStream_t stream) {
    return launch_tiles(shared<double>, dim3(TILE, TILE), in, out, rows, cols, stream);
}
