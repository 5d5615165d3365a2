/* C = alpha A B + beta C in double on tensor cores (DMMA), row- and column-major, any shape.
 *
 * What it teaches: tensor cores multiply doubles too, exactly as fused multiply-adds do, at twice
 * the rate of the other units: 16 x 8 x 8 or x 16 an instruction on Hopper, 8 x 8 x 4 on 8.0.
 * Operands lie for them as those of TF32 do, so any.cuh's text is the same but for ldmatrix, which
 * knows words of four bytes alone: lanes read their doubles one by one, from rows that are 32 bytes
 * past a multiple of the banks, so that a half warp meets each once. A column-major product is the
 * row-major one of what its memory holds, the operands exchanged.
 *
 * Instructions twice as deep are half as many, while shared memory is read as often; predicted: a
 * few percent. Measured: 4096 each in tiles of 64 x 64 on an H200 2,659 microseconds before, 2,477
 * so (cuBLAS 2,179), on an H100 2,629 and 2,472 (2,181).
 *
 * A block that is alone waits for memory at each step, as long as a trip takes over the steps that
 * its ring holds: 16 x 32 with four stages 0.22 microseconds a step, predicted with seven the 0.18
 * that it takes where enough blocks are there; measured 0.19. Three blocks of 64 x 64 with three
 * stages on a multiprocessor in place of two with four: the third fills what barriers leave idle,
 * and the last round is shorter. At 868 random shapes on an H100 in up to nineteen kinds of tiles
 * (geometric mean, cuBLAS being 1) six kinds with these two would have 1.022, were the choice
 * always right, the six before 1.007; as the model chooses, on a third that took no part, 1.008 (95
 * of 100 at least 0.805), before 0.971 (0.774). Measured on an H200 at 1,168 others: 0.990, before
 * 0.968.
 *
 * What does not help there, at 4096 each or more, where cuBLAS has 63 of 67 TFLOP/s and this 0.85
 * to 0.93 of that: larger tiles, which read L2 and shared memory less (predicted 1.00; 128 x 64 by
 * eight warps 0.8, 128 x 96 by twelve 0.7, 128 x 128 by sixteen 0.65), nor operands loaded to
 * registers a step ahead (234 registers; predicted 0.97, 64 x 64 0.85 at 4096 after 0.89).
 *
 * Needs compute capability 8.0; runs on softgpu. On GPUs whose multiprocessors have few units for
 * doubles (8.6, 8.9, 12.0) it is right, and as slow as they are. */
#include "common/parts.cuh"

static const known_times<double> DOUBLE = {
    {3.93, 1.847, 0.1667, 0.0559, 3.37e6, {0, 0}, {0, 0}, true},
    {{0.2248, 0.1862, 0.117, 0.810},
     {0.4044, 0.3046, 0.565, 1.420},
     {0.2503, 0.1947, 0.324, 1.108},
     {0.3140, 0.2515, 0.349, 0.804},
     {0.3441, 0.3209, 0.460, 0.704},
     {0.1885, 0.1797, 0.286, 0.714}}};

extern "C" cudaError_t wbk_dgemm_tensor(const double *A, const double *B, double *C, int m, int n,
                                        int k, double alpha, double beta, cudaStream_t stream) {
    return multiply_any<double>(DOUBLE, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_dgemm_tensor_columns(const double *A, const double *B, double *C, int m,
                                                int n, int k, double alpha, double beta,
                                                cudaStream_t stream) {
    return multiply_any<double>(DOUBLE, {B, A, C, n, m, k, alpha, beta}, stream);
}
