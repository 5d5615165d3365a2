/* Transpose by the best kernel for the size.
 *
 * The idea: large and small matrices need different kernels. If the output fits in L2, half-written
 * sectors find their other half there, and the order of writes does not matter. The time is a
 * launch and a trip to DRAM and back. Many threads with little work are best: 7_vector, then
 * 8_down_columns. If rows are no multiples of 16 bytes, 11_any_shape is best from a third of the
 * cache on. Otherwise, from the cache's size on, it is 9_kept, or 10_two_streams for its rows. In
 * double these two are best from the start.
 *
 * Predicted and measured: at each size the best of them. On an H200 (microseconds; cudaMemcpy in
 * brackets): 1000 x 999 5.6 (8.6), 2048 10.7 (10.9), 4096 32.5 (32.9), 8191 x 8193 130.4 (129.3),
 * 8192 126.9 (126.2), 16384 506.8 (506.3), 32768 2040 (2015).
 *
 * Remaining gap: input rows that do not start at a multiple of 256 bytes (see 11_any_shape). They
 * cost 1 % if columns of tiles are short (8191 x 8193), 4 % at 16381 x 16387, 8 % at 32767 x 32767.
 *
 * Sectors/request: those of the chosen kernel. */
#include <stdint.h>

#include "launch.h"
#include "warpbook.h"

/* Limits for the output's size, in 24ths of L2: up to `vector` 7_vector is best, up to `columns`
 * 8_down_columns. Beyond, 10_two_streams hands other matrices to 9_kept, and that hands unaligned
 * ones to 11_any_shape. */
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
    const int cache = l2_bytes();
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
