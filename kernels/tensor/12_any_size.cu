/* C = alpha A B + beta C, TF32, by the best rung for the shape.
 *
 * The idea: 9_tf32's tiles of 256 x 128 are the fastest if enough of them keep all multiprocessors
 * busy, and the device and the matrices allow them. 18_wgmma_parts then has smaller tiles and parts
 * of k. 11_parts handles the rest. A model computes the time of each (cost.cuh), as in 10_by_size.
 *
 * Predicted without 18_wgmma_parts: at each shape the better of the two, plus 2 %: 1.18 of cuBLAS
 * over random shapes. Measured on an H200 at 300 other shapes: 1.145 (9_tf32 alone 0.843); 95 of
 * 100 at least 0.862, the worst 0.628. padded.cuh handles rows that are not
 * multiples of 16 bytes. */
#include "common/pieces.cuh"
#include "common/padded.cuh"

static const type_times MEMORY = {0, 0, 0, 0, 3.78e6};
static const stay_times STAY = {4.66, 4.147, 0.01875};

/* Returns the rounds of 256 x 128 for 9_tf32. */
static double rounds_staying(int m, int n, int k, int processors) {
    double small = rounds_of(m, n, 128, 64, processors) * 0.45;
    double large = rounds_of(m, n, 256, 128, processors);
    long long tiles = ((m - 1LL) / 256 + 1) * ((n - 1LL) / 128 + 1), steps = (k - 1LL) / 32 + 1;
    double shared = (double)tiles / processors + (double)SHARING_COST / steps;
    if (small >= large && shared_tiles(tiles, steps, processors) > 0 && shared < large)
        large = shared;
    return small < large ? small : large;
}

typedef cudaError_t rung(const float *A, const float *B, float *C, int m, int n, int k, float alpha,
                         float beta, cudaStream_t stream);

/* Chooses a kernel for aligned rows and sets *time to its time in microseconds. */
static rung *suitable_for(int m, int n, int k, int processors, double *time) {
    double stay =
        stay_time(STAY, MEMORY, rounds_staying(m, n, k, processors), m, n, k, sizeof(float));
    double on_wgmma = wbk_gemm_wgmma_parts_time_tf32(m, n, k, processors);
    double in_parts = wbk_gemm_parts_time_tf32(m, n, k, processors);
    *time = fmin(fmin(stay, on_wgmma), in_parts);
    return *time == in_parts   ? wbk_gemm_parts_tf32
           : *time == on_wgmma ? wbk_gemm_wgmma_parts_tf32
                               : wbk_gemm_wgmma_tf32;
}

extern "C" cudaError_t wbk_gemm_by_size_tf32(const float *A, const float *B, float *C, int m, int n,
                                             int k, float alpha, float beta, cudaStream_t stream) {
    if (m <= 0 || n <= 0 || k <= 0 || alpha == 0)
        return wbk_gemm_parts_tf32(A, B, C, m, n, k, alpha, beta, stream);
    const int processors = multiprocessors();
    double time;
    auto whole_rows = [&](const float *A, const float *B, float *C, int n, int k) {
        rung *suitable = suitable_for(m, n, k, processors, &time);
        cudaError_t status = suitable(A, B, C, m, n, k, alpha, beta, stream);
        if (status == cudaErrorNotSupported) /* the device has no wgmma */
            status = wbk_gemm_parts_tf32(A, B, C, m, n, k, alpha, beta, stream);
        return status;
    };
    const row_starts starts = starts_of(A, B, C, n | k);
    if (starts == AT_PIECES)
        return whole_rows(A, B, C, n, k);
    const padded::product<float> p = {A, B, C, m, n, k, alpha, beta};
    const padded::plan<float> copies = padded::best_plan(
        p, [&](int n, int k) { return suitable_for(m, n, k, processors, &time), time; },
        [&](int k) { return wbk_gemm_wgmma_parts_loose_time_tf32(m, n, k, processors); });
    if (copies.time < wbk_gemm_parts_time_tf32(m, n, k, processors, starts)) {
        bool done;
        cudaError_t status =
            padded::run(p, copies, stream, &done,
                        [&](const float *A, const float *B, float *C, int cols, int k) {
                            return copies.loose ? wbk_gemm_wgmma_parts_loose_tf32(
                                                      A, B, cols, C, m, n, k, alpha, beta, stream)
                                                : whole_rows(A, B, C, cols, k);
                        });
        if (done)
            return status;
    }
    return wbk_gemm_parts_tf32(A, B, C, m, n, k, alpha, beta, stream);
}
