/* C = alpha A B + beta C for every shape, in bf16, fp16 and TF32: suitable tiles, k in parts.
 *
 * The idea: gemm/15_parts does this for fp32. On tensor cores it matters sooner, because a tile's
 * multiplications take so little. 56 x 8 x 13256 is one wgmma tile and 208 dependent steps, 54
 * microseconds. In fifty parts memory is the limit.
 * - mma.sync instead of wgmma: 16 x 8 results per instruction, so tiles may be 16 x 32 or 64 x 16.
 *   There is no tensor map, so rows may start anywhere. On Hopper it reaches 0.6 of the rate. Where
 *   that counts, 10_by_size and 12_any_size use the rungs on wgmma.
 * - One source for three types (any.cuh). A model chooses tiles and the number of parts (cost.cuh).
 *
 * Predicted from ten kinds of tiles at 450 random shapes on an H200 (geometric means, cuBLAS = 1):
 * bf16 0.98 with these six kinds and the rungs on wgmma (0.84 without); TF32 1.18 (0.86). Measured
 * on an H200 at 300 other shapes: 10_by_size in bf16 0.957 (95 of 100 at least 0.771), 12_any_size
 * in TF32 1.145 (0.862).
 *
 * In a batch of products (17_batched) the grid's y is the product. On an H100 bf16 has a seventh
 * kind: 16 x 32 with eight stages, for a block that runs alone (see 13_double).
 *
 * Needs compute capability 8.0; runs on softgpu. Sectors/request: loads 16 if rows are multiples of
 * 16 bytes. Other rows have two kinds of tiles. Rows of an odd number of 16-bit elements are
 * fetched 16 bytes at a time and shifted. */
#include "common/parts.cuh"

/* Fitted as in cost.cuh. Half takes the same time. Those for other rows were fitted to 24,800
 * products on an H100, with errors of 4 to 6 %. */
static const known_times<__nv_bfloat16> SIXTEEN = {
    {3.59, 2.108, 0.1007, 0.0761, 2.98e6, {0.157, 0.120}, {0.028, 0.065}, true},
    {{0.2150, 0.1621, 0.164, 0.860},
     {0.2461, 0.1821, 0.365, 1.626},
     {0.3083, 0.2611, 0.581, 2.613},
     {0.2063, 0.1231, 0.254, 1.287},
     {0.2354, 0.1803, 0.323, 0.927},
     {0.2702, 0.2106, 0.476, 0.852},
     {0.1775, 0.1663, 0.316, 0.800}},
    {1.20, {{0.3794, 0.3758, 0.002, 0.592}, {0.5292, 0.5202, 0.161, 1.444}}},
    {1.40, {{0.9805, 0.3761, 0.105, 0.623}, {1.1909, 0.5548, 0.421, 1.703}}}};
static const known_times<float> TF32 = {
    {4.69, 1.55, 0.1002, 0.0657, 3.78e6},
    {{0.2469, 0.1920, 0.148, 0.488},
     {0.3733, 0.3012, 0.432, 0.695},
     {0.5736, 0.4867, 0.789, 0.889},
     {0.2598, 0.1963, 0.238, 0.657},
     {0.2779, 0.2274, 0.348, 0.470},
     {0.3344, 0.2686, 0.781, 0.064}},
    {2.70, {{0.3704, 0.4455, 0.138, 0.008}, {0.5600, 0.6572, 0.752, 0.478}}}};

static const int OPTIN = 227 << 10; /* shared memory limit of a block on the device of the fit */

double wbk_gemm_parts_time_bf16(int m, int n, int k, int processors, int batch, row_starts starts) {
    return choose_tiles<__nv_bfloat16>(SIXTEEN, m, n, k, batch, processors, OPTIN, starts).time;
}
double wbk_gemm_parts_time_tf32(int m, int n, int k, int processors, row_starts starts) {
    return choose_tiles<float>(TF32, m, n, k, 1, processors, OPTIN, starts).time;
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

WBK_PARTS_BATCHED(__nv_bfloat16) {
    return multiply_any<__nv_bfloat16>(
        SIXTEEN, {A, B, C, m, n, k, alpha, beta, batch, strides.a, strides.b, strides.c}, stream);
}
WBK_PARTS_BATCHED(__half) {
    return multiply_any<__half>(
        SIXTEEN, {A, B, C, m, n, k, alpha, beta, batch, strides.a, strides.b, strides.c}, stream);
}
WBK_PARTS_BATCHED(float) {
    return multiply_any<float>(
        TF32, {A, B, C, m, n, k, alpha, beta, batch, strides.a, strides.b, strides.c}, stream);
}
