/* C = alpha sa sb A B + beta C of fp8 (e4m3) on wgmma, C in bf16 or fp32, B by columns.
 *
 * What it teaches: bytes are multiplied at twice the pace of bf16, by the roles of 5_roles and the
 * blocks that stay of 7_persistent. What is different:
 * - of bytes wgmma takes both operands with their rows along k alone: B must lie by columns. A step
 *   is again 128 bytes deep, four instructions of 32, and B's tile is one box.
 * - tensor cores add up products of bytes to some 14 significant bits only. Where that is not
 *   enough each 128 products are added up there, from nothing, and their sum to others in fp32, as
 *   cuBLASLt does unless it is told otherwise: gemm.fp8. While one warpgroup adds the other
 *   multiplies. Registers for a second set of 64 x 256 sums there are not: a tile of 128 x 256
 *   is multiplied in two halves a step, so that it moves no more bytes than before.
 *   gemm.fp8_fast leaves the sums where they are, as cuBLASLt does with FAST_ACCUM.
 *
 * Predicted for 4096 each on an H200: a step of a tile takes 1,024 cycles as in bf16, and is twice
 * as deep: 7_persistent's time, 176 microseconds, by half; the additions 128 instructions a warp
 * beside 1,024 cycles of the other warpgroup's products: nothing. Measured, random reals, C in
 * bf16: gemm.fp8_fast 91.3 (1,506 TFLOP/s), 1.046 of cuBLASLt with FAST_ACCUM, 8192 each 812
 * (1,354), 1.016 of it. gemm.fp8, beside cuBLASLt without: 2048 18.8, 0.97; 4096 114 (1,206),
 * 0.895; 8192 1,015 with tiles of 128 x 256, 0.82, and 928 with those of 128 x 192, which are
 * chosen since, 0.90; 4096x1024x8192 53.9, 0.93; C in fp32 a tenth slower. So the additions do cost
 * a quarter: nothing keeps the two warpgroups in turns, and while both add, nothing is multiplied;
 * and halves of 128 columns read A twice from shared memory, which has no time to spare. So where a
 * block has several tiles of 256 columns A's rows come to registers once a step, and the warpgroups
 * issue their products in turn: 4096 106.5 to 108.5 after 112 to 114, 0.92 to 0.94 of cuBLASLt.
 * With one tile a block that took longer (2048 19.1, 4096x1024x8192 54.6 beside a faster cuBLASLt)
 * and is left out. No gain in turns with tiles of 192. A second set of sums, so that one of 64 or
 * 96 columns is multiplied while another is added: 116 and 122.
 *
 * Error, of sum |a b|, at 8192 each, reals from [-1, 1): gemm.fp8 9e-6, gemm.fp8_fast 4.7e-4, in
 * fp32; cuBLASLt's two have the same errors.
 *
 * On wgmma it needs compute capability 9.0, k of multiples of 16 and pointers of 16 bytes.
 * Elsewhere gemm.fp8 is 14_fp8_plain; gemm.fp8_fast is cudaErrorNotSupported or
 * cudaErrorInvalidValue. */
#include "common/fp8.cuh"

using fp8::element;
using fp8::Product;
typedef __nv_bfloat16 bf16;

/* Which width of tiles takes least: rounds by what one takes, 128 x 256's being 1; on an H200. */
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

/* *done: it is done, or the call is wrong; else this is nothing for wgmma. */
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
    if (!read) /* A, B and their scales are not (the BLAS rule) */
        return scale(p.C, (size_t)p.m * p.n, p.beta, stream);
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
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
