/* C = alpha A B + beta C: whichever rung suits the size.
 *
 * What it teaches: no tile is best everywhere, and which one is can be calculated. A kernel's time
 * is the number of waves its tiles make on this device, times the work of a tile, over the pace at
 * which the device computes tiles of that kind; stream-K has no waves, but a price for adding up.
 * 14_fetcher computes whole tiles or shares them out, as the case may be, where the device and the
 * matrices allow it.
 *
 * Predicted: at each size the pace of the best rung. Measured on an H200: 0.997 to 1.000 of it at
 * the seven sizes of the README.
 *
 * `make bench-gpu` holds it against cuBLAS; the README has the table. */
#include <math.h>
#include <stdint.h>

#include "warpbook.h"

/* Measured on an H200, in tiles that keep it busy: elements of C a second, large tiles being 1; and
 * what sharing out the last tiles costs, 10 microseconds, in elements times k. */
constexpr double SMALL_PACE = 0.87, MEDIUM_PACE = 0.91, STREAM_PACE = 0.96, FETCHER_PACE = 1.04,
                 SHARING = 2e6;
constexpr int LIMIT_K = (1 << 24) - 1, LIMIT_N = (1 << 26) - 1; /* of the rungs built on tiles */

/* ceil(rows / tile_rows) * ceil(cols / tile_cols) */
static double tiles_of(int rows, int cols, int tile_rows, int tile_cols) {
    return (double)((rows - 1) / tile_rows + 1) * ((cols - 1) / tile_cols + 1);
}

/* `tiles` on `processors`, when each takes one at a time: the number of rounds. */
static double waves_of(double tiles, int processors) {
    return ceil(tiles / processors);
}

/* 14_fetcher takes these matrices, and this device is one for it. */
static bool fetches(int device, const float *A, const float *B, const float *C, int n, int k) {
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return major == 9 && minor == 0 && n % 4 == 0 && k % 4 == 0 &&
           ((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) % 16 == 0;
}

extern "C" cudaError_t wbk_sgemm_best(const float *A, const float *B, float *C, int m, int n, int k,
                                      float alpha, float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (k > LIMIT_K || n > LIMIT_N || tiles_of(m, n, 32, 64) > 0x7fffffff)
        return wbk_sgemm_async(A, B, C, m, n, k, alpha, beta, stream);
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);

    /* Each one's time, in elements of C a multiprocessor computes at the pace of large tiles. */
    double small = waves_of(tiles_of(m, n, 32, 64), processors) * (32 * 64) / SMALL_PACE;
    double medium = waves_of(tiles_of(m, n, 64, 128), processors) * (64 * 128) / MEDIUM_PACE;
    double tiles = tiles_of(m, n, 128, 256);
    double large = waves_of(tiles, processors) * (128 * 256);
    double shared = tiles / processors * (128 * 256) / STREAM_PACE + SHARING / fmax(k, 1);
    double fetched = INFINITY;
    if (fetches(device, A, B, C, n, k))
        fetched = fmin(large, shared * STREAM_PACE) / FETCHER_PACE;
    double least = fmin(fmin(fmin(small, medium), fmin(large, shared)), fetched);
    if (least == fetched) {
        cudaError_t status = wbk_sgemm_fetcher(A, B, C, m, n, k, alpha, beta, stream);
        if (status != cudaErrorNotSupported && status != cudaErrorInvalidValue)
            return status; /* otherwise built without code for it, or m is beyond it */
        least = fmin(fmin(small, medium), fmin(large, shared));
    }
    if (least == large)
        return wbk_sgemm_registers(A, B, C, m, n, k, alpha, beta, stream);
    if (least == shared)
        return wbk_sgemm_stream_k(A, B, C, m, n, k, alpha, beta, stream);
    return wbk_sgemm_slices(A, B, C, m, n, k, alpha, beta, stream);
}
