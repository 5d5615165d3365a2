/* C = alpha A B + beta C in double on tensor cores (DMMA), row- and column-major, any shape.
 *
 * What it teaches: tensor cores multiply doubles too, exactly as fused multiply-adds do, at twice
 * the rate of the other units: 16 x 8 x 8 or x 16 an instruction on Hopper, 8 x 8 x 4 on 8.0.
 * Operands lie for them as those of TF32 do, so any.cuh's text is the same but for ldmatrix, which
 * knows words of four bytes alone: lanes read their doubles one by one, from rows that are 32 bytes
 * past a multiple of the banks, so that a half warp meets each once. A column-major product is the
 * row-major one of what its memory holds, the operands exchanged.
 *
 * Predicted from the times of eleven kinds of tiles at 400 random shapes on an H200, on a third of
 * them that took no part in fitting the model (geometric mean, cuBLAS being 1): 0.95, were the
 * choice always right 0.97. With tiles of 128 x 64 and 128 x 128 besides it would be 1.00: their
 * fragments meet shared memory less often; left out so far. Measured by the shape sweep of `make
 * bench-gpu`. The model's times were fitted while the adding kernel ran with half of its threads;
 * fitted anew to 20,808 times at 1,610 shapes of up to 24 GFLOP its error falls from 7.7 to 5.7 %
 * (nine of ten from 22 to 16 %), and what is chosen stays 2.9 % behind the fastest: so they were
 * left as they are. On the third that took no part: 1.004 of cuBLAS, 95 of 100 at least 0.76.
 *
 * Instructions twice as deep are half as many, while shared memory is read as often; predicted: a
 * few percent. Measured: 4096 each in tiles of 64 x 64 on an H200 2,659 microseconds before, 2,477
 * so (cuBLAS 2,179), on an H100 2,629 and 2,472 (2,181); at 386 random shapes there 4 % from 0.3
 * GFLOP on, 1 to 2 % below. In tiles of 64 x 128, whose 222 registers leave no room for the
 * operands, they are slower, so those have stayed 8 deep; warps that share out a step have no more
 * of it each, and with steps twice as long lose 3 %. Tiles of 128 x 128 by eight warps: 2,994.
 *
 * In the model the pace of these tiles is 0.93 of what it was. All four of their times fitted anew
 * (0.423, 0.337, 1.43, 0) describe them better, yet what is then chosen is 3.3 % behind the fastest
 * in place of 2.6, for the other kinds' times are off in the same direction. On an H100 300 other
 * shapes: 0.967 of cuBLAS, 95 of 100 at least 0.787, the worst 0.620 (6592 x 192 x 704).
 *
 * Needs compute capability 8.0; runs on softgpu. On GPUs whose multiprocessors have few units for
 * doubles (8.6, 8.9, 12.0) it is right, and as slow as they are. */
#include "common/parts.cuh"

static const known_times DOUBLE = {{5.12, 1.24, 0.0685, 0.0539, 4.02e6},
                                   {{0.7051, 0.7044, 1.229, 1.089},
                                    {0.4653, 0.3289, 0.756, 0.540},
                                    {0.3016, 0.1961, 0.668, 0.014},
                                    {0.3009, 0.2356, 0.554, 0.000},
                                    {0.2290, 0.1674, 0.289, 0.000},
                                    {0.3074, 0.2740, 0.770, 0.000}}};

extern "C" cudaError_t wbk_dgemm_tensor(const double *A, const double *B, double *C, int m, int n,
                                        int k, double alpha, double beta, cudaStream_t stream) {
    return multiply_any<double>(DOUBLE, {A, B, C, m, n, k, alpha, beta}, stream);
}
extern "C" cudaError_t wbk_dgemm_tensor_columns(const double *A, const double *B, double *C, int m,
                                                int n, int k, double alpha, double beta,
                                                cudaStream_t stream) {
    return multiply_any<double>(DOUBLE, {B, A, C, n, m, k, alpha, beta}, stream);
}
