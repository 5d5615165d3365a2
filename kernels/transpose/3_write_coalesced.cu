/* Transpose with a scattered read and a coalesced write.
 *
 * The idea: swap threadIdx.x and threadIdx.y, and the other side is scattered. This is the better
 * way. A scattered load's other bytes may still serve another warp from the cache. A scattered
 * store's sector must be completed or merged on its way to memory.
 *
 * Predicted for 8192 x 8192 floats on an H200: as many sectors as 2_read_coalesced, but a sector
 * stays in L1 for the seven other warps that need a part of it. So nearer to 1_copy (2,032 GB/s)
 * than to 2_read_coalesced (556). Measured: 1,397.
 *
 * Sectors/request: load 32, store 4 (float; double 32 and 8). */
#include "tiles.cuh"

template <typename T>
static __global__ void write_coalesced(const T *in, T *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.y;
    int row = blockIdx.y * TILE + threadIdx.x;
    if (row < rows && col < cols)
        out[(size_t)col * rows + row] = in[(size_t)row * cols + col];
}

extern "C" cudaError_t wbk_transpose_write_coalesced_f32(const float *in, float *out, int rows,
                                                         int cols, cudaStream_t stream) {
    return launch_tiles(write_coalesced<float>, dim3(TILE, TILE), in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_write_coalesced_f64(const double *in, double *out, int rows,
                                                         int cols, cudaStream_t stream) {
    return launch_tiles(write_coalesced<double>, dim3(TILE, TILE), in, out, rows, cols, stream);
}
