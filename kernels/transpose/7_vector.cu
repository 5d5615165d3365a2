/* Transpose with 16-byte accesses on both sides.
 *
 * The idea: memory is busiest if each thread has several wide accesses in flight. A thread loads V
 * rows of V elements (V = 4 floats or 2 doubles, 16 bytes), and transposes the V x V square in its
 * registers. Its shared and global accesses all have 16 bytes. Padding would break the alignment,
 * so the tile is swizzled: chunk q of tile row c is at q ^ (c / V). So the eight lanes that shared
 * memory serves at once use eight different places.
 *
 * Predicted for 8192 x 8192 floats on an H200: a quarter of the instructions and 64 bytes per
 * thread in flight: the copy's 4,270 GB/s. Measured: 4,084 after 3,663. The rest depends on the
 * order of the blocks' writes (8_down_columns).
 *
 * Needs rows and cols to be multiples of V, and 16-byte aligned pointers. Otherwise the launcher
 * uses 6_padded_8. Sectors/request: load 16, store 16 (512 bytes a warp, in rows of 256, all
 * used). */
#include "squares.cuh"

template <typename T>
static __global__ void __launch_bounds__(THREADS) vector(const T *in, T *out, int rows, int cols) {
    transpose_tile(in, out, rows, cols, blockIdx.y * TILE, blockIdx.x * TILE);
}

template <typename T>
static cudaError_t launch(const T *in, T *out, int rows, int cols, cudaStream_t stream) {
    dim3 grid((cols - 1) / TILE + 1, (rows - 1) / TILE + 1);
    if (grid.y > 65535)
        return cudaErrorInvalidValue;
    vector<<<grid, THREADS, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}

static bool takes(const void *in, const void *out, int rows, int cols, int v) {
    return ((uintptr_t)in | (uintptr_t)out) % 16 == 0 && rows % v == 0 && cols % v == 0 &&
           rows > 0 && cols > 0;
}

extern "C" cudaError_t wbk_transpose_vector_f32(const float *in, float *out, int rows, int cols,
                                                cudaStream_t stream) {
    if (!takes(in, out, rows, cols, 4))
        return wbk_transpose_padded_8_f32(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_vector_f64(const double *in, double *out, int rows, int cols,
                                                cudaStream_t stream) {
    if (!takes(in, out, rows, cols, 2))
        return wbk_transpose_padded_8_f64(in, out, rows, cols, stream);
    return launch(in, out, rows, cols, stream);
}
