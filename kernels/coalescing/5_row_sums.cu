/* Row sums of a row-major matrix, one thread per row.
 *
 * The idea: each thread walks along memory, as a good CPU loop does. On a GPU this is wrong: at any
 * moment the 32 lanes of a warp are a whole row apart. The addresses that the lanes touch together
 * count, not those that one thread touches in turn. A cache can save the next seven loads of a
 * sector only if it holds 32 rows for every warp.
 *
 * Predicted for 8192 x 8192 on an H200: an eighth of the read limit of 4,373 GB/s, 547. Measured:
 * 481; 243 with 4096 rows, which are too few threads; 992 with 65536 rows of 1024, where the cache
 * helps.
 *
 * Sectors/request: load 32 (rows of 8 floats or more), store 4. Bytes wanted over bytes moved: 12.5
 * %. */
#include "warpbook.h"

static __global__ void row_sums(const float *in, float *out, int rows, int cols) {
    int row = threadIdx.x + blockIdx.x * blockDim.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int col = 0; col < cols; col++)
        sum += in[(size_t)row * cols + col];
    out[row] = sum;
}

extern "C" cudaError_t wbk_row_sums_f32(const float *in, float *out, int rows, int cols,
                                        cudaStream_t stream) {
    const int threads = 128;
    if (rows < 0 || cols < 0)
        return cudaErrorInvalidValue;
    if (rows == 0)
        return cudaSuccess;
    row_sums<<<(rows - 1) / threads + 1, threads, 0, stream>>>(in, out, rows, cols);
    return cudaGetLastError();
}
