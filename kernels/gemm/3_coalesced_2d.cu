/* C = alpha A B + beta C, lanes along a row, two-dimensional blocks.
 *
 * The idea: with dim3(32, 32) the hardware numbers x first, so a warp has the 32 threads of one
 * threadIdx.y. With the column from x and the row from y, the accesses equal those of
 * 2_coalesced_1d.
 *
 * Predicted: the time of 2_coalesced_1d. Measured on an H200: the same within a percent at every
 * size, 5.7 TFLOP/s at 4096.
 *
 * Sectors/request: load of A 1 (broadcast), of B 4; store of C 4. */
#include "warpbook.h"

static __global__ void sgemm_coalesced_2d(const float *A, const float *B, float *C, int m, int n,
                                          int k, float alpha, float beta) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * n + col];
    float *c = &C[(size_t)row * n + col];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

extern "C" cudaError_t wbk_sgemm_coalesced_2d(const float *A, const float *B, float *C, int m,
                                              int n, int k, float alpha, float beta,
                                              cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0 || m > 32 * 65535)
        return cudaErrorInvalidValue; /* the limit of the grid's y */
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read then (the BLAS rule) */
    dim3 grid((n - 1) / 32 + 1, (m - 1) / 32 + 1);
    sgemm_coalesced_2d<<<grid, dim3(32, 32), 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
