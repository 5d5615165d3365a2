/* C = alpha A B + beta C in double precision and column-major order, padded tiles.
 *
 * The idea: the order of Fortran and cuBLAS. Element (row, column) of an m x n matrix is at column
 * * m + row. Neighbours in memory are neighbours in a column, so the lanes of a warp must run down
 * a column: row from x. A's tile keeps its order, and each lane reads its own row. The padding
 * [TILE][TILE + 1] keeps B's transposed stores free of bank conflicts.
 *
 * Predicted for 2048 x 2048 x 2048 on an H200: the 256 bytes of a row of A take two cycles of
 * shared memory, and each of four broadcast elements of B one: six cycles for four multiplications
 * of a warp, 11 TFLOP/s of 33 without tensor cores. Measured: 8.9; cublasDgemm, with tensor cores
 * for doubles, 60.4.
 *
 * Sectors/request: load of A 8, of B 8; store of C 8 (doubles, 256 bytes a warp). */
#include "launch.cuh"

constexpr int TILE = 32, ROWS = 8; /* 32 x 8 threads, four columns of C each */

static __global__ void __launch_bounds__(TILE *ROWS)
    dgemm_column_tiles(const double *A, const double *B, double *C, int m, int n, int k,
                       double alpha, double beta) {
    __shared__ double As[TILE][TILE + 1]; /* [i][row]: A(row, k0 + i) */
    __shared__ double Bs[TILE][TILE + 1]; /* [i][col]: B(k0 + i, col), transposed by the store */
    int x = threadIdx.x, row = blockIdx.x * TILE + x, col0 = blockIdx.y * TILE;
    double sum[TILE / ROWS] = {};
    for (int k0 = 0; k0 < k; k0 += TILE) {
#pragma unroll
        for (int y = threadIdx.y; y < TILE; y += ROWS) {
            int a_col = k0 + y, b_row = k0 + x, b_col = col0 + y;
            As[y][x] = row < m && a_col < k ? A[(size_t)a_col * m + row] : 0;
            Bs[x][y] = b_row < k && b_col < n ? B[(size_t)b_col * k + b_row] : 0;
        }
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            double a = As[i][x];
#pragma unroll
            for (int j = 0; j < TILE / ROWS; j++)
                sum[j] += a * Bs[i][threadIdx.y + j * ROWS];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < TILE / ROWS; j++) {
        int col = col0 + threadIdx.y + j * ROWS;
        if (row < m && col < n) {
            double *c = &C[(size_t)col * m + row];
            *c = beta == 0 ? alpha * sum[j] : alpha * sum[j] + beta * *c;
        }
    }
}

extern "C" cudaError_t wbk_dgemm_column_tiles(const double *A, const double *B, double *C, int m,
                                              int n, int k, double alpha, double beta,
                                              cudaStream_t stream) {
    dim3 grid(tiles(m, TILE), tiles(n, TILE));
    return launch(dgemm_column_tiles, grid, dim3(TILE, ROWS), A, B, C, m, n, k, alpha, beta,
                  stream);
}
