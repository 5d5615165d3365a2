/* C = alpha A B + beta C in double on tensor cores (DMMA), row- and column-major, any shape.
 *
 * The idea: tensor cores multiply doubles too, as exactly as fused multiply-adds, at twice the rate
 * of the other units: 16 x 8 x 8 or x 16 per instruction on Hopper, 8 x 8 x 4 on 8.0. The operands'
 * layout is that of TF32, so any.cuh's source is the same except for ldmatrix, which supports only
 * 4-byte words. Lanes read their doubles one by one, from rows that are 32 bytes past a multiple of
 * the banks. So a half warp uses each bank once. A column-major product is the row-major one with
 * the operands exchanged.
 *
 * Instructions twice as deep halve their number, but not the reads of shared memory. Predicted: a
 * few percent. Measured: 4096 each in tiles of 64 x 64 on an H200 2,659 microseconds before, 2,477
 * after (cuBLAS 2,179).
 *
 * A block that runs alone waits for memory at each step: the latency divided by the steps in its
 * ring. So 16 x 32 has seven stages instead of four: 0.19 microseconds per step after 0.22. 64 x 64
 * has three blocks of three stages per multiprocessor instead of two of four: the third block uses
 * the time of barriers, and the last round is shorter. Measured on an H200 at 1,168 random shapes
 * (geometric mean, cuBLAS = 1): 0.990, before 0.968.
 *
 * Needs compute capability 8.0; runs on softgpu. It is slow on GPUs with few units for doubles
 * (8.6, 8.9, 12.0). */
#include "common/parts.cuh"

static const known_times<double> DOUBLE = {
    {3.93, 1.847, 0.1667, 0.0559, 3.37e6, {0, 0}, {0, 0}, true},
    {{0.2248, 0.1862, 0.117, 0.810},
     {0.4044, 0.3046, 0.565, 1.420},
     {0.2503, 0.1947, 0.324, 1.108},
     {0.3140, 0.2515, 0.349, 0.804},
     {0.3441, 0.3209, 0.460, 0.704},
     {0.1885, 0.1797, 0.286, 0.714}},
    {1, {{0.2248, 0.1862, 0.117, 0.810}, {0.4044, 0.3046, 0.565, 1.420}}}};

extern "C" cudaError_t wbk_dgemm_tensor(const double *A, const double *B, double *C, int m, int n,
                                        int k, double alpha, double beta, cudaStream_t stream) {
    return multiply_any<double>(DOUBLE, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_dgemm_tensor_columns(const double *A, const double *B, double *C, int m,
                                                int n, int k, double alpha, double beta,
                                                cudaStream_t stream) {
    return multiply_any<double>(DOUBLE, {B, A, C, n, m, k, alpha, beta}, stream);
}
