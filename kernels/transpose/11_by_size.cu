/* Transpose by the kernel that suits the size.
 *
 * What it teaches: what is best for a large matrix is not for a small one. As long as the output
 * fits into the L2 cache, half-written sectors find their other half there, nothing has to leave it
 * in long runs, and the time is that of a launch and a trip to DRAM and back: many threads with
 * little to do each are first. 8_down_columns is best there, whatever the shape; beyond twice the
 * L2 9_kept is, and 10_any_shape where rows are not aligned.
 *
 * Predicted and measured: at each size the better of the three. On an H200 (GB/s, cublasSgeam in
 * brackets): 1024 1489 (1344), 4096 4297 (3869), 3001 x 2999 3338 (3061), 8191 x 8193 3990 (3484).
 * At 2048, 10.5 us, it is level with cudaMemcpy and 1 to 5 % ahead of cublasSgeam: what is left is
 * the launch and the first bytes' way, 3 us of it. */
#include "warpbook.h"

static bool is_large(size_t bytes) {
    int device = 0, cache = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    return bytes > 2 * (size_t)cache;
}

extern "C" cudaError_t wbk_transpose_by_size_f32(const float *in, float *out, int rows, int cols,
                                                 cudaStream_t stream) {
    if (rows > 0 && cols > 0 && is_large((size_t)rows * cols * sizeof *in))
        return wbk_transpose_any_shape_f32(in, out, rows, cols, stream);
    return wbk_transpose_down_columns_f32(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_by_size_f64(const double *in, double *out, int rows, int cols,
                                                 cudaStream_t stream) {
    if (rows > 0 && cols > 0 && is_large((size_t)rows * cols * sizeof *in))
        return wbk_transpose_any_shape_f64(in, out, rows, cols, stream);
    return wbk_transpose_down_columns_f64(in, out, rows, cols, stream);
}
