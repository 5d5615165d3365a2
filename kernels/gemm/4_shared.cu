/* C = alpha A B + beta C through 32 x 32 tiles in shared memory.
 *
 * What it teaches: each element of A is needed by all 32 columns of a block, each of B by all 32
 * rows. Bring a tile of both into shared memory once, use every element 32 times: global traffic
 * falls to a 32nd. Tiles that reach over the edge are filled with zeros, so the inner loop needs no
 * question.
 *
 * Predicted for 4096 x 4096 x 4096 on an H200: global loads fall from two a multiplication to a
 * sixteenth, but now two words come from shared memory for each, 32 lanes in a cycle: no more than
 * 8.2 TFLOP/s. Measured: 8.7 after 5.7. (The compiler reads four elements of A in one instruction,
 * which saves slots; the bytes are the same, so it gains little.) What was waiting for global
 * memory is now the pace of shared memory: tiles alone are not enough.
 *
 * Sectors/request: load of A 4, of B 4; store of C 4.
 * Shared wavefronts/request: 1 (A's element is one broadcast, B's are 32 neighbours). */
#include "warpbook.h"

constexpr int TILE = 32;

static __global__ void sgemm_shared(const float *A, const float *B, float *C, int m, int n, int k,
                                    float alpha, float beta) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        int a_col = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < m && a_col < k ? A[(size_t)row * k + a_col] : 0;
        Bs[threadIdx.y][threadIdx.x] = b_row < k && col < n ? B[(size_t)b_row * n + col] : 0;
        __syncthreads(); /* the tiles are whole */
        for (int i = 0; i < TILE; i++)
            sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads(); /* everyone is done with them */
    }
    if (row < m && col < n) {
        float *c = &C[(size_t)row * n + col];
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}

extern "C" cudaError_t wbk_sgemm_shared(const float *A, const float *B, float *C, int m, int n,
                                        int k, float alpha, float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0 || m > TILE * 65535)
        return cudaErrorInvalidValue; /* the grid's y ends at 65535 */
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read then (the BLAS rule) */
    dim3 grid((n - 1) / TILE + 1, (m - 1) / TILE + 1);
    sgemm_shared<<<grid, dim3(TILE, TILE), 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}
