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
#include "tiles.cuh"

template <typename T>
static __global__ void read_coalesced(const T *in, T *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols)
        out[(size_t)col * rows + row] = in[(size_t)row * cols + col];
}

extern "C" cudaError_t wbk_transpose_read_coalesced_f32(const float *in, float *out, int rows,
                                                        int cols, cudaStream_t stream) {
    return launch_tiles(read_coalesced<float>, dim3(TILE, TILE), in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_read_coalesced_f64(const double *in, double *out, int rows,
                                                        int cols, cudaStream_t stream) {
    return launch_tiles(read_coalesced<double>, dim3(TILE, TILE), in, out, rows, cols, stream);
}
