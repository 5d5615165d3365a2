/* Transpose by the kernel that suits the size.
 *
 * What it teaches: what is best for a large matrix is not for a small one. As long as the output
 * fits into the L2 cache, half-written sectors find their other half there, nothing has to leave it
 * in long runs, and the time is that of a launch and a trip to DRAM and back: many threads with
 * little to do each are first, 7_vector, then 8_down_columns. Where rows are no multiples of 16
 * bytes, 11_any_shape from a third of the cache on; else, from its size on, 9_kept, whose hints pay
 * last, or 10_two_streams where rows are what that is for. In double those are first from the
 * start.
 *
 * Predicted and measured: at each size the best of them. On an H200 (microseconds; cudaMemcpy in
 * brackets): 1000 x 999 5.6 (8.6), 2000 10.5 (13.5), 3000 19.2 (22.2), 2999 x 3001 21.2 (22.0),
 * 4096 32.5 (32.9), 8191 x 8193 130.4 (129.3), 8192 126.9 (126.2), 16384 506.8 (506.3), 32768 2040
 * (2015). At 2048, 10.7 us (10.9), it is 2 % ahead of cublasSgeam. A copy of 16 MB takes no less,
 * whatever its tiles, its threads, its kind of access and what it keeps in flight: an empty kernel
 * is 2.9 us of it and the first bytes' way 1.1; 16 MB that are written where the cache has them
 * take 3.9 (4.3 TB/s), 16 MB read from DRAM 4.2, and the two overlap by less than one.
 *
 * Cards of the kind differ: at 32768 the copy took 2000 us on some, 2014 or 2023 on others, this
 * 2045 to 2039; at 10007 x 5003 its pace was 0.973 to 0.994 of the copy's.
 *
 * What is left: input rows that do not start at a multiple of 256 bytes (11_any_shape says why).
 * From a copy that takes 1 % where columns of tiles are short (10007 x 5003, 8191 x 8193), 2 at
 * 20000 x 10000, 4 at 16381 x 16387, 8 at 32767 x 32767.
 *
 * Sectors/request: those of the kernel chosen. */
#include <stdint.h>

#include "warpbook.h"

/* Up to which part of the L2 cache, in 24ths, an output is 7_vector's, and from there to which
 * 8_down_columns'. Beyond, 10_two_streams passes on to 9_kept what it is not for, which passes on
 * to 11_any_shape what is not aligned. */
struct limits {
    int vector, columns;
};

template <typename T> static limits limits_for(const T *in, const T *out, int rows, int cols) {
    constexpr int V = 16 / sizeof(T);
    if (((uintptr_t)in | (uintptr_t)out) % 16 != 0 || rows % V != 0 || cols % V != 0)
        return {4, 9};
    return sizeof(T) == sizeof(float) ? limits{15, 24} : limits{0, 0};
}

template <typename T> using transposer = cudaError_t (*)(const T *, T *, int, int, cudaStream_t);

template <typename T>
static cudaError_t by_size(const T *in, T *out, int rows, int cols, cudaStream_t stream,
                           transposer<T> vector, transposer<T> columns, transposer<T> large) {
    if (rows <= 0 || cols <= 0)
        return columns(in, out, rows, cols, stream);
    int device = 0, cache = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    limits to = limits_for(in, out, rows, cols);
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(T), part = (size_t)cache / 24;
    auto suited = bytes <= part * to.vector ? vector : bytes <= part * to.columns ? columns : large;
    return suited(in, out, rows, cols, stream);
}

extern "C" cudaError_t wbk_transpose_by_size_f32(const float *in, float *out, int rows, int cols,
                                                 cudaStream_t stream) {
    return by_size(in, out, rows, cols, stream, wbk_transpose_vector_f32,
                   wbk_transpose_down_columns_f32, wbk_transpose_two_streams_f32);
}

extern "C" cudaError_t wbk_transpose_by_size_f64(const double *in, double *out, int rows, int cols,
                                                 cudaStream_t stream) {
    return by_size(in, out, rows, cols, stream, wbk_transpose_vector_f64,
                   wbk_transpose_down_columns_f64, wbk_transpose_two_streams_f64);
}
