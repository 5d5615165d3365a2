/* Transpose by the kernel that suits the size.
 *
 * What it teaches: what is best for a large matrix is not for a small one. As long as the output
 * fits into the L2 cache, half-written sectors find their other half there, nothing has to leave it
 * in long runs, and the time is that of a launch and a trip to DRAM and back: many threads with
 * little to do each are first. So 8_down_columns up to twice the cache; beyond that 10_any_shape
 * where output rows start inside a sector; and 9_kept, whose hint pays last, from six times on.
 *
 * Predicted and measured: at each size the better of the three. On an H200 (GB/s; cublasSgeam and
 * cudaMemcpy in brackets): 1024 1498 (1372, 1507), 4096 4284 (3891, 4237), 3001 x 2999 3348 (3086,
 * 3343), 8191 x 8193 3961 (3587, 4245), 8192 (8_down_columns) 4261 (3936, 4331), 16384 4231 (4014,
 * 4259), 32768 4141 (3906, 4281). At 2048, 10.5 us, it is ahead of cudaMemcpy and 2 to 5 % ahead of
 * cublasSgeam: what is left there is the launch and the first bytes' way, 3 us, and reading at 4.5
 * TB/s.
 *
 * Sectors/request: those of the kernel chosen. */
#include <stdint.h>

#include "warpbook.h"

static bool beyond(size_t caches, size_t bytes) {
    int device = 0, cache = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    return bytes > caches * (size_t)cache;
}

/* Whether 10_any_shape, which passes aligned matrices on to 9_kept, is better than 8_down_columns.
 */
template <typename T> static bool is_large(const T *out, int rows, int cols) {
    constexpr int SECTOR = 32;
    if (rows <= 0 || cols <= 0)
        return false;
    size_t row_bytes = (size_t)rows * sizeof(T); /* of the output */
    bool whole = row_bytes % SECTOR == 0 && (uintptr_t)out % SECTOR == 0;
    return beyond(whole ? 6 : 2, row_bytes * (size_t)cols);
}

extern "C" cudaError_t wbk_transpose_by_size_f32(const float *in, float *out, int rows, int cols,
                                                 cudaStream_t stream) {
    if (is_large(out, rows, cols))
        return wbk_transpose_any_shape_f32(in, out, rows, cols, stream);
    return wbk_transpose_down_columns_f32(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_by_size_f64(const double *in, double *out, int rows, int cols,
                                                 cudaStream_t stream) {
    if (is_large(out, rows, cols))
        return wbk_transpose_any_shape_f64(in, out, rows, cols, stream);
    return wbk_transpose_down_columns_f64(in, out, rows, cols, stream);
}
