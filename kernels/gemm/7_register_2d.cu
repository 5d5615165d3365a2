/* C = alpha A B + beta C, 8 x 8 results per thread.
 *
 * The idea: the outer product. Eight elements of A and eight of B in registers give 64
 * multiplications: sixteen reads of shared memory for 64 results, where 6_register_1d needs nine
 * for eight. Arithmetic becomes the limit, if the reads are efficient (see 8_tiles).
 *
 * Predicted for 4096 x 4096 x 4096 on an H200: lanes read their eight neighbours 32 bytes apart, so
 * a read takes three passes over the banks. That makes 405,000 cycles of shared memory for 131,000
 * of arithmetic (softgpu's counts at 256): 21.6 TFLOP/s. Measured: 16.7 after 15.8.
 *
 * Tiles of 128 x 128 of C, 8 deep; 256 threads. Sectors/request: loads of A 4, of B 4; store of C
 * 32, because a lane's eight results are adjacent. */
#include "launch.cuh"

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
constexpr int THREADS = BM * BN / (TM * TN);

static __global__ void __launch_bounds__(THREADS)
    sgemm_register_2d(const float *A, const float *B, float *C, int m, int n, int k, float alpha,
                      float beta) {
    __shared__ float As[BM][BK], Bs[BK][BN];
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int thread_row = threadIdx.x / (BN / TN) * TM, thread_col = threadIdx.x % (BN / TN) * TN;
    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += THREADS) { /* A's tile, four elements each */
            int row = row0 + e / BK, col = k0 + e % BK;
            As[e / BK][e % BK] = row < m && col < k ? A[(size_t)row * k + col] : 0;
        }
        for (int e = threadIdx.x; e < BK * BN; e += THREADS) {
            int row = k0 + e / BN, col = col0 + e % BN;
            Bs[e / BN][e % BN] = row < k && col < n ? B[(size_t)row * n + col] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++) {
            float a[TM], b[TN];
#pragma unroll
            for (int r = 0; r < TM; r++)
                a[r] = As[thread_row + r][i];
#pragma unroll
            for (int c = 0; c < TN; c++)
                b[c] = Bs[i][thread_col + c];
#pragma unroll
            for (int r = 0; r < TM; r++)
#pragma unroll
                for (int c = 0; c < TN; c++)
                    sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < TM; r++)
#pragma unroll
        for (int c = 0; c < TN; c++) {
            int row = row0 + thread_row + r, col = col0 + thread_col + c;
            if (row < m && col < n) {
                float *to = &C[(size_t)row * n + col];
                *to = beta == 0 ? alpha * sum[r][c] : alpha * sum[r][c] + beta * *to;
            }
        }
}

extern "C" cudaError_t wbk_sgemm_register_2d(const float *A, const float *B, float *C, int m, int n,
                                             int k, float alpha, float beta, cudaStream_t stream) {
    dim3 grid(tiles(n, BN), tiles(m, BM));
    return launch(sgemm_register_2d, grid, THREADS, A, B, C, m, n, k, alpha, beta, stream);
}
