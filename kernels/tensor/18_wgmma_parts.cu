/* C = alpha A B + beta C in bf16, fp16 and TF32: small tiles by wgmma, k in parts.
 *
 * The idea: 7_persistent needs 132 tiles of 128 x 256, and 11_parts' small tiles by mma.sync reach
 * only 0.6 of the rate. Products of some hundred rows or columns and a deep k are between them: 412
 * x 1488 x 5664 has 24 tiles. Here a tile's steps of k are cut in parts, one per block, as in
 * 11_parts, and multiplied by wgmma, as in 10_by_size's small tiles. One warp fetches and one or
 * two warpgroups multiply. So two blocks fit on a multiprocessor, and one starts or ends while the
 * other works. Sums of parts go to memory, and 11_parts' second kernel adds them. One source for
 * three types (cut.cuh); TF32 handles B as in 9_tf32 (turned.cuh).
 *
 * Predicted: 6976 x 40 x 4976 in bf16 is 69 MB, so memory limits it to 28 microseconds on an H100;
 * 320 x 832 x 2368, 65 tiles of 64 x 64 in six parts, 10. Measured on an H100 (cuBLAS; without this
 * rung): 36.0 (29.4; 47.3), and 11.2 in one part (10.4; 13.3). In TF32 412 x 1488 x 5664 takes 48.7
 * in two parts (43.0; 69.5), 200 x 3016 x 12436 106 in six (108; 174).
 *
 * Shared memory is the limit: a step of 64 x 64 x 64 writes 16 KB and reads as much, 256 cycles of
 * 128 bytes, but multiplies in 128. For 128 x 128 it is 640 cycles for 512.
 *
 * Measured on an H100 at 387 (bf16) and 381 (TF32) random shapes, cuBLAS = 1: bf16 0.969 (95 of 100
 * at least 0.763), fp16 0.970 (0.798), TF32 1.166 (0.916). Where the model (cost.cuh) chose this
 * rung, it was 1.05, 1.03 and 1.07 times faster than the previous choice. It is not chosen below
 * DEEP, where it can take half as long again.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/cut.cuh"

/* The kinds of tiles. */
template <class T> struct cuts {
    using first = cut::tile<T, 64, 64, 6, 2>;
    using second = cut::tile<T, 128, 128, 3, 2>;
    using third = cut::tile<T, 128, 256, 4, 1>;
};
template <> struct cuts<float> {
    using first = cut::tile<float, 64, 64, 6, 2>;
    using second = cut::tile<float, 64, 128, 4, 2>;
    using third = cut::tile<float, 128, 128, 6, 1>;
};
enum { CUTS = 3 };

/* The model's times. Those of 16 bits were fitted with all rungs that 10_by_size chooses from. */
static const times_of<CUTS> SIXTEEN = {
    {3.91, 2.139, 0.3703, 0.0719, 3.28e6, {0.126, 0.223}, {0.031, 0.008}, true},
    {{0.0187, 0.1610, 0.253, 1.130},
     {0.4275, 0.4136, 0.218, 1.558},
     {0.6122, 0.5268, 1.311, 1.310}}};
static const times_of<CUTS> TF32 = {{4.69, 1.659, 0.3469, 0.0691, 3.78e6},
                                    {{0.1790, 0.1993, 0.573, 0.341},
                                     {0.3278, 0.3447, 0.359, 0.526},
                                     {0.3944, 0.2000, 1.474, 0.226}}};

/* The least k: below it there is little to cut, and persistent blocks overlap their stores. */
enum { DEEP = 256 };

/* The model overestimates the other TF32 rungs by 3 %, so this one must be that much faster. */
constexpr double DOUBT = 1.03;

template <class S> static kind_sizes sizes_of_cut() {
    return {S::ROWS, S::COLS, S::STEP, S::BLOCKS, (int)sizeof(float)};
}

/* Finds the cheapest kind by the model. The time is infinite if tiles cannot be numbered by an
 * int. */
template <class T>
static chosen_tiles choose(const times_of<CUTS> &times, int m, int n, int k, int processors) {
    typedef cuts<T> Is;
    const kind_sizes kinds[CUTS] = {sizes_of_cut<typename Is::first>(),
                                    sizes_of_cut<typename Is::second>(),
                                    sizes_of_cut<typename Is::third>()};
    chosen_tiles best = {INFINITY, 0, 1};
    if (whole(m, 64) * whole(n, 64) > 0x7fffffff / MOST_PARTS || k > 0x7fffffff - 64)
        return best;
    for (int nth = 0; nth < CUTS; nth++)
        consider(&best, times.type, times.kinds[nth], nth, kinds[nth], sizeof(T), m, n, k, 1,
                 processors);
    return best;
}

double wbk_gemm_wgmma_parts_time_sixteen(int m, int n, int k, int processors) {
    return k < DEEP ? INFINITY : choose<__half>(SIXTEEN, m, n, k, processors).time;
}
double wbk_gemm_wgmma_parts_time_tf32(int m, int n, int k, int processors) {
    return k < DEEP ? INFINITY : choose<float>(TF32, m, n, k, processors).time * DOUBT;
}

template <class T>
static double loose_time(const times_of<CUTS> &times, int m, int n, int k, int processors) {
    typedef typename cuts<T>::first First;
    return compiled_for(cut::gemm_cut<First, true, T>, 90, 90) == cudaSuccess
               ? choose<T>(times, m, n, k, processors).time
               : INFINITY;
}
double wbk_gemm_wgmma_parts_loose_time_sixteen(int m, int n, int k, int processors) {
    return loose_time<__half>(SIXTEEN, m, n, k, processors);
}
double wbk_gemm_wgmma_parts_loose_time_tf32(int m, int n, int k, int processors) {
    return loose_time<float>(TF32, m, n, k, processors);
}

/* C = alpha A B + beta C with the best kind. See cut::run() for LOOSE and b_cols. */
template <bool LOOSE, class T>
static cudaError_t multiply_best(const times_of<CUTS> &times, const product<T> &p, int b_cols,
                                 cudaStream_t stream) {
    typedef cuts<T> Is;
    const chosen_tiles best = choose<T>(times, p.m, p.n, p.k, multiprocessors());
    if (best.time == INFINITY)
        return cudaErrorInvalidValue;
    auto *run = best.kind == 0   ? cut::run<typename Is::first, LOOSE, T>
                : best.kind == 1 ? cut::run<typename Is::second, LOOSE, T>
                                 : cut::run<typename Is::third, LOOSE, T>;
    return run(p, b_cols, best.parts, stream);
}

template <class T>
static cudaError_t multiply(const times_of<CUTS> &times, const product<T> &p, cudaStream_t stream) {
    typedef typename cuts<T>::first First;
    bool done;
    cudaError_t status = begin(cut::gemm_cut<First, false, T>, First::SHARED, p.A, p.B, p.C, p.m,
                               p.n, p.k, p.alpha, p.beta, stream, &done);
    return done || status != cudaSuccess ? status : multiply_best<false>(times, p, p.n, stream);
}

/* The same where C's rows start anywhere. */
template <class T>
static cudaError_t multiply_loose(const times_of<CUTS> &times, const product<T> &p, int b_cols,
                                  cudaStream_t stream) {
    cudaError_t status = compiled_for(cut::gemm_cut<typename cuts<T>::first, true, T>, 90, 90);
    return status == cudaSuccess ? multiply_best<true>(times, p, b_cols, stream) : status;
}
WBK_LOOSE(__nv_bfloat16, bf16) {
    return multiply_loose<__nv_bfloat16>(SIXTEEN, {A, B, C, m, n, k, alpha, beta}, b_cols, stream);
}
WBK_LOOSE(__half, fp16) {
    return multiply_loose<__half>(SIXTEEN, {A, B, C, m, n, k, alpha, beta}, b_cols, stream);
}
WBK_LOOSE(float, tf32) {
    return multiply_loose<float>(TF32, {A, B, C, m, n, k, alpha, beta}, b_cols, stream);
}

extern "C" cudaError_t wbk_gemm_wgmma_parts_bf16(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                                                 __nv_bfloat16 *C, int m, int n, int k, float alpha,
                                                 float beta, cudaStream_t stream) {
    return multiply<__nv_bfloat16>(SIXTEEN, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_gemm_wgmma_parts_fp16(const __half *A, const __half *B, __half *C, int m,
                                                 int n, int k, float alpha, float beta,
                                                 cudaStream_t stream) {
    return multiply<__half>(SIXTEEN, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_gemm_wgmma_parts_tf32(const float *A, const float *B, float *C, int m,
                                                 int n, int k, float alpha, float beta,
                                                 cudaStream_t stream) {
    return multiply<float>(TF32, {A, B, C, m, n, k, alpha, beta}, stream);
}
