/* Transpose by the kernel that suits the size.
 *
 * What it teaches: what is best for a large matrix is not for a small one. As long as the output
 * fits into the L2 cache, half-written sectors find their other half there, nothing has to leave it
 * in long runs, and the time is that of a launch and a trip to DRAM and back: many threads with
 * little to do each are first. So 8_down_columns; where output rows start inside a sector, beyond
 * the size of the cache 11_any_shape; and from four times that on 9_kept, whose hints pay last, or
 * 10_two_streams where rows are what that is for.
 *
 * Predicted and measured: at each size the better of the four. On an H200 (GB/s; cublasSgeam and
 * cudaMemcpy in brackets): 1024 1560 (1358, 1481), 3001 x 2999 3343 (3000, 3399), 4095 x 4097 3755
 * (3199, 3796), 8191 x 8193 4092 (3554, 4187), 8192 4229 (3911, 4270), 16384 4239 (4012, 4266),
 * 32768 4213 (3909, 4289). At 2048, 10.5 us, it is ahead of cudaMemcpy and of each copy that was
 * tried, and 2 to 4 % ahead of cublasSgeam. A copy of 16 MB takes no less, whatever its tiles, its
 * threads, its kind of access and what it keeps in flight: an empty kernel is 2.9 us of it and the
 * first bytes' way 1.1; 16 MB that are written where the cache has them take 3.9 (4.3 TB/s), 16 MB
 * read from DRAM 4.2, and the two overlap by less than one.
 *
 * What is left: an input row that does not start at a multiple of 256 bytes. Linear reads and
 * writes there are a copy's; a tile's rows straddle what DRAM is read by, and the rest of it is the
 * next tile's, a column later. From a copy that takes 2 to 5 % (10007 x 5003 0.97 to 0.98 of it,
 * 20000 x 10000 0.96, 16381 x 16387 0.95), and more where a column of tiles is as large as the
 * cache (32767 x 32767 0.88). Wider tiles, higher ones, bands, neighbouring columns side by side,
 * and whole pieces of 256 bytes fetched into the cache beforehand were no better.
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

/* Whether 10_two_streams is better than 8_down_columns: it passes on to 9_kept what it is not for,
 * which passes on to 11_any_shape what is not aligned. */
template <typename T> static bool is_large(const T *out, int rows, int cols) {
    constexpr int SECTOR = 32;
    if (rows <= 0 || cols <= 0)
        return false;
    size_t row_bytes = (size_t)rows * sizeof(T); /* of the output */
    bool whole = row_bytes % SECTOR == 0 && (uintptr_t)out % SECTOR == 0;
    return beyond(whole ? 4 : 1, row_bytes * (size_t)cols);
}

extern "C" cudaError_t wbk_transpose_by_size_f32(const float *in, float *out, int rows, int cols,
                                                 cudaStream_t stream) {
    if (is_large(out, rows, cols))
        return wbk_transpose_two_streams_f32(in, out, rows, cols, stream);
    return wbk_transpose_down_columns_f32(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_by_size_f64(const double *in, double *out, int rows, int cols,
                                                 cudaStream_t stream) {
    if (is_large(out, rows, cols))
        return wbk_transpose_two_streams_f64(in, out, rows, cols, stream);
    return wbk_transpose_down_columns_f64(in, out, rows, cols, stream);
}
