/* C = alpha A B + beta C, a thread an element, lanes down a column.
 *
 * What it teaches: the mapping a mathematician would choose, row from x and column from y, is the
 * wrong way round. The 32 lanes of a warp have 32 rows and one column: they read 32 elements of A
 * that are a whole row apart, one and the same element of B, and write a column of C.
 *
 * Predicted for 4096 x 4096 x 4096 on an H200: the L1 cache looks up one line a cycle, and each
 * multiplication of a warp wants 33 of them: 132 multiprocessors x 64 operations / 33 cycles at
 * 1.98 GHz, 0.51 TFLOP/s of a peak of 66.9. Measured: 0.50. Nothing else matters as long as this
 * does.
 *
 * Sectors/request: load of A 32, of B 1 (broadcast); store of C 32. */
#include "warpbook.h"

static __global__ void sgemm_naive(const float *A, const float *B, float *C, int m, int n, int k,
                                   float alpha, float beta) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * n + col];
    float *c = &C[(size_t)row * n + col];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

extern "C" cudaError_t wbk_sgemm_naive(const float *A, const float *B, float *C, int m, int n,
                                       int k, float alpha, float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0 || n > 32 * 65535)
        return cudaErrorInvalidValue; /* the grid's y ends at 65535 */
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read then (the BLAS rule) */
    dim3 grid((m - 1) / 32 + 1, (n - 1) / 32 + 1);
    sgemm_naive<<<grid, dim3(32, 32), 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
