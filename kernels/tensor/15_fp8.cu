/* C = alpha sa sb A B + beta C of fp8 (e4m3) on wgmma, C in bf16 or fp32, B by columns.
 *
 * The idea: bytes multiply at twice the rate of bf16, with the roles of 5_roles and the persistent
 * blocks of 7_persistent. The differences:
 * - For bytes, wgmma needs both operands' rows along k, so B must be stored by columns. A step is
 *   again 128 bytes deep, four instructions of 32, and B's tile is one box.
 * - Tensor cores add products of bytes to only about 14 significant bits. gemm.fp8 adds each 128
 *   products there, and their sums in fp32, as cuBLASLt does by default. One warpgroup adds while
 *   the other multiplies. There are no registers for a second set of 64 x 256 sums, so a tile of
 *   128 x 256 is multiplied in two halves per step, which moves no more bytes. gemm.fp8_fast keeps
 *   the sums in the tensor cores, as cuBLASLt does with FAST_ACCUM.
 * - If a block has several tiles of 256 columns, A's rows are loaded to registers once per step,
 *   and the warpgroups issue their products in turn.
 *
 * Predicted for 4096 each on an H200: half of 7_persistent's 176 microseconds. Measured with C in
 * bf16: gemm.fp8_fast 91.3 (1,506 TFLOP/s), 1.046 of cuBLASLt with FAST_ACCUM; 8192 each 812
 * (1,354), 1.016. gemm.fp8 relative to cuBLASLt: 2048 18.8, 0.97; 4096 107, 0.93; 8192 928, 0.90;
 * 4096x1024x8192 53.9, 0.93; C in fp32 is a tenth slower. The additions cost more than predicted,
 * because nothing is multiplied while both warpgroups add.
 *
 * Error relative to sum |a b|, at 8192 each, reals from [-1, 1): gemm.fp8 9e-6, gemm.fp8_fast
 * 4.7e-4, in fp32; the same as cuBLASLt.
 *
 * On wgmma it needs compute capability 9.0, k of multiples of 16 and 16-byte aligned pointers.
 * Otherwise gemm.fp8 is 14_fp8_plain; gemm.fp8_fast is cudaErrorNotSupported or
 * cudaErrorInvalidValue. */
#include "common/fp8.cuh"

using fp8::element;
using fp8::Product;
typedef __nv_bfloat16 bf16;

/* Returns the fastest width of tiles: rounds times a round's time, relative to 128 x 256, on an
 * H200. */
static int best_columns(int m, int n, bool fast, int processors) {
    const struct {
        int cols;
        double time;
    } widths[] = {{256, 1}, {192, fast ? 0.76 : 0.69}, {128, 0.52}};
    int best = 0;
    double least = 0;
    for (auto width : widths) {
        double time = rounds_of(m, n, fp8::BM, width.cols, processors) * width.time;
        if (best == 0 || time < least) {
            best = width.cols;
            least = time;
        }
    }
    return best;
}

template <bool FAST, class Out> static auto *multiply_by(int cols, bool to_boxes, bool one_round) {
    if constexpr (sizeof(Out) == 2 && !FAST)
        if (to_boxes && cols == 256 && !one_round)
            return fp8::multiply<256, FAST, true, Out, true>;
    if constexpr (sizeof(Out) == 2)
        if (to_boxes)
            return cols == 256   ? fp8::multiply<256, FAST, true, Out>
                   : cols == 192 ? fp8::multiply<192, FAST, true, Out>
                                 : fp8::multiply<128, FAST, true, Out>;
    return cols == 128 ? fp8::multiply<128, FAST, false, Out>
                       : fp8::multiply<256, FAST, false, Out>;
}

/* Sets *done if the product is complete or the call is wrong. Otherwise wgmma does not support
 * it. */
template <bool FAST, class Out>
static cudaError_t multiply(const element *A, const element *B, Product<Out> p, bool *done,
                            cudaStream_t stream) {
    *done = true;
    if (p.m < 0 || p.n < 0 || p.k < 0)
        return cudaErrorInvalidValue;
    if (p.m == 0 || p.n == 0)
        return cudaSuccess;
    *done = false;
    cudaError_t status = compiled_for(fp8::gemm_fp8<256, FAST, sizeof(Out) == 2, Out>, 90, 90);
    if (status != cudaSuccess)
        return status;
    bool read = p.k > 0 && p.alpha != 0;
    if (p.k % 16 != 0 || ((uintptr_t)p.C | (read ? (uintptr_t)A | (uintptr_t)B : 0)) % 16 != 0 ||
        p.m > 0x7fffffff - fp8::BM || p.n > 0x7fffffff - 256 || p.k > 0x7fffffff - fp8::BK ||
        ((p.m - 1LL) / fp8::BM + 1) * ((p.n - 1LL) / 128 + 1) > 0x3fffffff)
        return cudaErrorInvalidValue;
    *done = true;
    if (!read) /* A, B and their scales are not read then (the BLAS rule) */
        return scale(p.C, (size_t)p.m * p.n, p.beta, stream);
    const int processors = multiprocessors();
    bool to_boxes = sizeof(Out) == 2 && p.n % 8 == 0 && p.beta == 0;
    int cols = best_columns(p.m, p.n, FAST, processors);
    bool one_round = rounds_of(p.m, p.n, fp8::BM, cols, processors) == 1;
    auto *suitable = multiply_by<FAST, Out>(cols, to_boxes, one_round);
    return suitable(A, B, p, processors, stream);
}

extern "C" cudaError_t wbk_gemm_fp8_bf16(const element *A, const element *B, bf16 *C, int m, int n,
                                         int k, float alpha, float beta, const float *scale_a,
                                         const float *scale_b, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        multiply<false, bf16>(A, B, {C, m, n, k, alpha, beta, scale_a, scale_b}, &done, stream);
    return done ? status
                : wbk_gemm_fp8_plain_bf16(A, B, C, m, n, k, alpha, beta, scale_a, scale_b, stream);
}
extern "C" cudaError_t wbk_gemm_fp8_f32(const element *A, const element *B, float *C, int m, int n,
                                        int k, float alpha, float beta, const float *scale_a,
                                        const float *scale_b, cudaStream_t stream) {
    bool done;
    cudaError_t status =
        multiply<false, float>(A, B, {C, m, n, k, alpha, beta, scale_a, scale_b}, &done, stream);
    return done ? status
                : wbk_gemm_fp8_plain_f32(A, B, C, m, n, k, alpha, beta, scale_a, scale_b, stream);
}
extern "C" cudaError_t wbk_gemm_fp8_fast_bf16(const element *A, const element *B, bf16 *C, int m,
                                              int n, int k, float alpha, float beta,
                                              const float *scale_a, const float *scale_b,
                                              cudaStream_t stream) {
    bool done;
    return multiply<true, bf16>(A, B, {C, m, n, k, alpha, beta, scale_a, scale_b}, &done, stream);
}
extern "C" cudaError_t wbk_gemm_fp8_fast_f32(const element *A, const element *B, float *C, int m,
                                             int n, int k, float alpha, float beta,
                                             const float *scale_a, const float *scale_b,
                                             cudaStream_t stream) {
    bool done;
    return multiply<true, float>(A, B, {C, m, n, k, alpha, beta, scale_a, scale_b}, &done, stream);
}
