/* C_i = alpha A_i B_i + beta C_i for a batch of products of one shape, in bf16, fp16 and TF32, such
 * as heads of attention.
 *
 * The idea: one product of 1024 x 1024 x 1024 is too small for 132 multiprocessors, and 64 of them
 * in sequence start and end 64 times. Laid end to end, their tiles are one long list. Persistent
 * blocks walk through it as through one product (staying.cuh), without waits between products. For
 * TMA a batch is a third dimension, so a box ends where its matrix ends. A matrix shared by all
 * products (distance 0) is a batch of one. If tiles of 128 x 128 and more are too large for the
 * shape, 11_parts' tiles walk through the batch along the grid's y. A model chooses (cost.cuh).
 *
 * Predicted for 64 x 1024^3 on an H200: 2,048 tiles of 128 x 256, 16 rounds, at 7_persistent's
 * rate: 190 microseconds. Measured, in bf16: 187 (cuBLAS 196), 1.047. Heads of attention, cuBLAS =
 * 1: 128 of 1024 x 128 x 1024 1.04, of 1024 x 1024 x 128 0.985, of 2048 x 2048 x 64 0.97. With
 * tiles of 64 columns for n = 64: 128 of 2048 x 64 x 2048 1.03, 64 of 1024 x 64 x 1024 1.09, 1024
 * of 64 x 64 x 64 0.91.
 *
 * Rows of any length, and distances of at least a matrix; A's or B's may be 0. On wgmma it needs
 * compute capability 9.0, rows and distances of multiples of 16 bytes (bf16, fp16). Otherwise it is
 * 11_parts, from 8.0 on and on softgpu. */
#include "common/cost.cuh"
#include "common/staying.cuh"

using staying::Batch;

static const type_times MEMORY = {0, 0, 0, 0, 2.88e6}; /* as in 10_by_size */

/* Times of a round of tiles on an H200, from 1024 x 1024 x 1024 and x 128. 64 columns are a guess,
 * because memory limited the measured cases. 192 were the fastest at none of eight shapes.
 */
static const struct {
    int cols;
    stay_times times;
} WIDTHS[] = {
    {256, {4.95, 1.95, 0.00919}}, {128, {4.95, 0.70, 0.00594}}, {64, {4.95, 0.60, 0.0040}}};

/* Finds the fastest width of tiles, and its time in microseconds. */
static int best_columns(int m, int n, int k, int element, int batch, int processors,
                        double *least) {
    int best = 0;
    for (auto width : WIDTHS) {
        long long tiles = ((m - 1LL) / staying::BM + 1) * ((n - 1LL) / width.cols + 1) * batch;
        double rounds = (double)((tiles - 1) / processors + 1);
        double time = stay_time(width.times, MEMORY, rounds, m, n, k, element, batch);
        if (best == 0 || time < *least) {
            best = width.cols;
            *least = time;
        }
    }
    return best;
}

/* The arguments of a call. */
template <class T> struct Call {
    const T *A, *B;
    T *C;
    int m, n, k;
    float alpha, beta;
    Batch batch;
};

/* Returns true for wrong sizes, or products that write the same elements. */
template <class T> static bool is_wrong(const Call<T> &c) {
    const Batch &batch = c.batch;
    if (c.m < 0 || c.n < 0 || c.k < 0 || batch.count < 0 || batch.a < 0 || batch.b < 0 ||
        batch.c < 0)
        return true;
    return batch.count > 1 && batch.c < (long long)c.m * c.n;
}

/* Returns true if TMA supports the matrices and their tiles can be numbered. */
template <class T> static bool fits_boxes(const Call<T> &c) {
    constexpr int EACH = 16 / sizeof(T);
    const Batch &b = c.batch;
    if (c.m > 0x7fffffff - 128 || c.n > 0x7fffffff - 256 || c.k > 0x7fffffff - 64)
        return false;
    double tiles = (double)((c.m - 1) / 128 + 1) * ((c.n - 1) / 128 + 1) * b.count;
    return c.n % EACH == 0 && c.k % EACH == 0 && (b.a | b.b | b.c) % EACH == 0 &&
           ((uintptr_t)c.A | (uintptr_t)c.B | (uintptr_t)c.C) % 16 == 0 && tiles < 1 << 30 &&
           (b.a | b.b | b.c) < 1LL << 38;
}

/* Multiplies on wgmma if that is faster than tiles and parts. Sets *done if it did. */
template <class T> static cudaError_t stay(const Call<T> &c, bool *done, cudaStream_t stream) {
    *done = false;
    if (c.k == 0 || c.alpha == 0 || !fits_boxes(c) ||
        compiled_for(staying::gemm_persistent<T, 256, 1, true>, 90, 90) != cudaSuccess)
        return cudaSuccess;
    const int processors = multiprocessors();
    double time;
    int cols = best_columns(c.m, c.n, c.k, sizeof(T), c.batch.count, processors, &time);
    if (time >= wbk_gemm_parts_time_bf16(c.m, c.n, c.k, processors, c.batch.count))
        return cudaSuccess;
    *done = true;
    auto *suitable = cols == 256   ? staying::multiply<T, 256, 1, true>
                     : cols == 128 ? staying::multiply<T, 128, 1, true>
                                   : staying::multiply<T, 64, 1, true>;
    return suitable(c.A, c.B, c.C, c.m, c.n, c.k, c.alpha, c.beta, processors, stream, c.batch);
}

template <class T> static cudaError_t multiply_batch(const Call<T> &call, cudaStream_t stream) {
    if (is_wrong(call))
        return cudaErrorInvalidValue;
    if (call.m == 0 || call.n == 0 || call.batch.count == 0)
        return cudaSuccess;
    if constexpr (sizeof(T) == 2) {
        bool done;
        cudaError_t status = stay(call, &done, stream);
        if (done)
            return status;
    }
    return wbk_gemm_parts_batched(call.A, call.B, call.C, call.m, call.n, call.k, call.alpha,
                                  call.beta, call.batch.count,
                                  {call.batch.a, call.batch.b, call.batch.c}, stream);
}

extern "C" cudaError_t wbk_gemm_batched_bf16(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                                             __nv_bfloat16 *C, int m, int n, int k, float alpha,
                                             float beta, int batch, long long stride_a,
                                             long long stride_b, long long stride_c,
                                             cudaStream_t stream) {
    return multiply_batch<__nv_bfloat16>(
        {A, B, C, m, n, k, alpha, beta, {batch, stride_a, stride_b, stride_c}}, stream);
}
extern "C" cudaError_t wbk_gemm_batched_fp16(const __half *A, const __half *B, __half *C, int m,
                                             int n, int k, float alpha, float beta, int batch,
                                             long long stride_a, long long stride_b,
                                             long long stride_c, cudaStream_t stream) {
    return multiply_batch<__half>(
        {A, B, C, m, n, k, alpha, beta, {batch, stride_a, stride_b, stride_c}}, stream);
}
extern "C" cudaError_t wbk_gemm_batched_tf32(const float *A, const float *B, float *C, int m, int n,
                                             int k, float alpha, float beta, int batch,
                                             long long stride_a, long long stride_b,
                                             long long stride_c, cudaStream_t stream) {
    return multiply_batch<float>(
        {A, B, C, m, n, k, alpha, beta, {batch, stride_a, stride_b, stride_c}}, stream);
}
