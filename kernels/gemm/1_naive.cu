/* C = alpha A B + beta C, one thread per element, lanes down a column.
 *
 * The idea: the mathematical mapping, row from x and column from y, is the wrong one. The 32 lanes
 * of a warp have 32 rows and one column. They read 32 elements of A that are a row apart and one
 * element of B, and write a column of C.
 *
 * Predicted for 4096 x 4096 x 4096 on an H200: L1 looks up one line per cycle, and each
 * multiplication of a warp needs 33: 132 multiprocessors x 64 operations / 33 cycles at 1.98 GHz,
 * 0.51 TFLOP/s of a peak of 66.9. Measured: 0.50. Nothing else matters yet.
 *
 * Sectors/request: load of A 32, of B 1 (broadcast); store of C 32. */
#include "launch.cuh"

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
    dim3 grid(tiles(m, 32), tiles(n, 32));
    return launch(sgemm_naive, grid, dim3(32, 32), A, B, C, m, n, k, alpha, beta, stream);
}
