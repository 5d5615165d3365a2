/* Transpose by the kernel that suits the size.
 *
 * What it teaches: what is best for a large matrix is not for a small one. As long as the output
 * fits into the L2 cache, half-written sectors find their other half there, nothing has to leave it
 * in long runs, and the time is that of a launch and a trip to DRAM and back: many threads with
 * little to do each are first. So 8_down_columns; where output rows start inside a sector, beyond
 * the size of the cache 10_any_shape; and from six times that on 9_kept, whose hints pay last.
 *
 * Predicted and measured: at each size the better of the three. On an H200 (GB/s; cublasSgeam and
 * cudaMemcpy in brackets): 1024 1560 (1358, 1481), 3001 x 2999 3343 (3000, 3399), 4095 x 4097 3755
 * (3199, 3796), 8191 x 8193 4092 (3554, 4187), 8192 4261 (3936, 4330), 16384 4239 (4012, 4266),
 * 32768 4151 (3909, 4281). At 2048, 10.5 us, it is ahead of cudaMemcpy and of each copy that was
 * tried, and 2 to 4 % ahead of cublasSgeam. A copy of 16 MB takes no less, whatever its tiles, its
 * threads and what it keeps in flight: a launch and the first bytes' way are 4.4 us of it, and the
 * rest moves 32 MB through the L2 cache at 5.3 TB/s.
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
    return beyond(whole ? 6 : 1, row_bytes * (size_t)cols);
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
