/* C = alpha A B + beta C for every shape, in bf16, fp16 and TF32: tiles that suit it, k in parts.
 *
 * What it teaches: what gemm/15_parts does for fp32 holds on tensor cores too, only sooner, because
 * a tile's multiplications take so little. 56 x 8 x 13256 is one tile of wgmma's and 208 steps one
 * after the other, 54 microseconds; in fifty parts it is memory's business.
 * - mma.sync rather than wgmma: 16 x 8 results an instruction, so that tiles may be 16 x 32 or 64 x
 *   16, and no tensor map: rows may start anywhere. On Hopper it reaches 0.6 of the rate, which is
 *   of no account where memory or the start and end decide; where it is, 10_by_size and
 *   12_any_size take the rungs on wgmma.
 * - One text for three types (any.cuh); which tiles and how many parts is calculated (cost.cuh).
 *
 * Predicted from the times of ten kinds of tiles at 450 random shapes on an H200, on a third of
 * them that took no part in fitting the model (geometric means, cuBLAS being 1; the rungs on wgmma
 * alone 0.84 and 0.86): bf16 0.98 with these six kinds and the rungs on wgmma, 1.00 were the choice
 * always right; TF32 1.18, of 1.20. The sums of up to eight parts in one cluster's shared memory,
 * read across, were worth 0.6 % more, and left out with their instructions.
 * Measured on an H200 through `compare`, 300 other shapes each, beside cuBLAS: 10_by_size in bf16
 * 0.957 (95 of 100 at least 0.771, the worst 0.521, 592 x 11496 x 10064), 12_any_size in TF32 1.145
 * (0.862; 0.628, 464 x 880 x 11536). What is left behind are products of some hundred rows and deep
 * k, for which the rungs on wgmma would want tiles in parts as well; tried at the same shapes, such
 * tiles of 64 x 128, 128 x 128 and 128 x 256 would bring 1.2 % more in bf16, were the choice right.
 *
 * A batch of products (17_batched) is the grid's second side.
 *
 * Fitted anew on an H100, where bf16 has a seventh kind too: 16 x 32 with eight stages, for a block
 * that is alone (13_double says why). It is worth 0.6 %.
 *
 * Needs compute capability 8.0; runs on softgpu. Sectors/request: loads 16 where rows are multiples
 * of 16 bytes. For others there are two kinds of tiles. Rows of an odd number of 16-bit elements
 * are fetched element by element. */
#include "common/parts.cuh"

/* Fitted as cost.cuh says, for rows of multiples of 16 bytes; half takes as long. */
static const known_times<__nv_bfloat16> SIXTEEN = {
    {3.59, 2.108, 0.1007, 0.0761, 2.98e6, {0.157, 0.120}, {0.028, 0.065}, true},
    {{0.2150, 0.1621, 0.164, 0.860},
     {0.2461, 0.1821, 0.365, 1.626},
     {0.3083, 0.2611, 0.581, 2.613},
     {0.2063, 0.1231, 0.254, 1.287},
     {0.2354, 0.1803, 0.323, 0.927},
     {0.2702, 0.2106, 0.476, 0.852},
     {0.1775, 0.1663, 0.316, 0.800}}};
static const known_times<float> TF32 = {{4.69, 1.55, 0.1002, 0.0657, 3.78e6},
                                        {{0.2469, 0.1920, 0.148, 0.488},
                                         {0.3733, 0.3012, 0.432, 0.695},
                                         {0.5736, 0.4867, 0.789, 0.889},
                                         {0.2598, 0.1963, 0.238, 0.657},
                                         {0.2779, 0.2274, 0.348, 0.470},
                                         {0.3344, 0.2686, 0.781, 0.064}}};

static const int OPTIN = 227 << 10; /* shared memory of a block, where the model was fitted */

double wbk_gemm_parts_time_bf16(int m, int n, int k, int processors, int batch) {
    return choose_tiles<__nv_bfloat16>(SIXTEEN, m, n, k, batch, processors, OPTIN, true).time;
}
double wbk_gemm_parts_time_tf32(int m, int n, int k, int processors) {
    return choose_tiles<float>(TF32, m, n, k, 1, processors, OPTIN, true).time;
}

extern "C" cudaError_t wbk_gemm_parts_bf16(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                                           __nv_bfloat16 *C, int m, int n, int k, float alpha,
                                           float beta, cudaStream_t stream) {
    return multiply_any<__nv_bfloat16>(SIXTEEN, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_gemm_parts_fp16(const __half *A, const __half *B, __half *C, int m,
                                           int n, int k, float alpha, float beta,
                                           cudaStream_t stream) {
    return multiply_any<__half>(SIXTEEN, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_gemm_parts_tf32(const float *A, const float *B, float *C, int m, int n,
                                           int k, float alpha, float beta, cudaStream_t stream) {
    return multiply_any<float>(TF32, {A, B, C, m, n, k, alpha, beta}, stream);
}

WBK_PARTS_BATCHED(__nv_bfloat16, bf16) {
    return multiply_any<__nv_bfloat16>(
        SIXTEEN, {A, B, C, m, n, k, alpha, beta, batch, strides.a, strides.b, strides.c}, stream);
}
WBK_PARTS_BATCHED(__half, fp16) {
    return multiply_any<__half>(
        SIXTEEN, {A, B, C, m, n, k, alpha, beta, batch, strides.a, strides.b, strides.c}, stream);
}
WBK_PARTS_BATCHED(float, tf32) {
    return multiply_any<float>(
        TF32, {A, B, C, m, n, k, alpha, beta, batch, strides.a, strides.b, strides.c}, stream);
}
