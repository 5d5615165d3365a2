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
#include "launch.cuh"

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
    dim3 grid(tiles(n, 32), tiles(m, 32));
    return launch(sgemm_coalesced_2d, grid, dim3(32, 32), A, B, C, m, n, k, alpha, beta, stream);
}
