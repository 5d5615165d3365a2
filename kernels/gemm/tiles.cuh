/* tiles.cuh: accesses of 8_tiles and 9_warp_tiles to A, B and C, four elements at a time. */
#pragma once

#include <stdint.h>

#include "launch.cuh"

/* Returns four elements of a matrix from (row, col) on, with zeros beyond its edge. */
template <bool VEC>
static __device__ float4 fetch(const float *matrix, int row, int col, int rows, int cols) {
    float4 v = make_float4(0, 0, 0, 0);
    const float *p = matrix + (size_t)row * cols + col;
    if (VEC) {
        if (row < rows && col < cols)
            v = *(const float4 *)p;
    } else if (row < rows) {
        v.x = col < cols ? p[0] : 0;
        v.y = col + 1 < cols ? p[1] : 0;
        v.z = col + 2 < cols ? p[2] : 0;
        v.w = col + 3 < cols ? p[3] : 0;
    }
    return v;
}

/* C = alpha sum + beta C for a thread's results, the first of them at (row, col). Their groups of
 * four rows are ROW_STEP apart, and those of four columns COL_STEP. */
template <bool VEC, int ROW_STEP, int COL_STEP, int TM, int TN>
static __device__ __forceinline__ void store_results(const float (&sum)[TM][TN], float *C, int row,
                                                     int col, int m, int n, float alpha,
                                                     float beta) {
#pragma unroll
    for (int r = 0; r < TM; r++)
#pragma unroll
        for (int g = 0; g < TN / 4; g++) {
            int out_row = row + r / 4 * ROW_STEP + r % 4, out_col = col + g * COL_STEP;
            if (out_row >= m)
                continue;
            float *to = &C[(size_t)out_row * n + out_col];
            if (VEC) {
                if (out_col < n) {
                    float4 v = beta == 0 ? make_float4(0, 0, 0, 0) : *(float4 *)to;
                    v.x = alpha * sum[r][g * 4] + beta * v.x;
                    v.y = alpha * sum[r][g * 4 + 1] + beta * v.y;
                    v.z = alpha * sum[r][g * 4 + 2] + beta * v.z;
                    v.w = alpha * sum[r][g * 4 + 3] + beta * v.w;
                    *(float4 *)to = v;
                }
            } else {
#pragma unroll
                for (int c = 0; c < 4; c++)
                    if (out_col + c < n)
                        to[c] = alpha * sum[r][g * 4 + c] + (beta == 0 ? 0 : beta * to[c]);
            }
        }
}

/* Returns true if rows of A, B and C can be accessed 16 bytes at a time. */
static inline bool whole_vectors(const float *A, const float *B, const float *C, int n, int k,
                                 float alpha) {
    return (k % 4 == 0 || alpha == 0) && n % 4 == 0 &&
           ((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) % 16 == 0;
}
