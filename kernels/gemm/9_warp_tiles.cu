/* C = alpha A B + beta C by warp tiles, with tiles that suit the size.
 *
 * The idea: a warp's tile between the block's and the thread's.
 * - A warp takes a compact WM x WN part of the tile with its lanes as 8 x 4. At each step it reads
 *   8 float4 of A and 4 of B, each only once, and broadcasts them. A 1 x 32 strip of threads needs
 *   twice as much from shared memory.
 * - Two blocks share a multiprocessor (launch bounds): one computes while the other waits.
 * - Blocks process C in bands of 8 tile rows, so that concurrent blocks share panels of A and B in
 *   L2.
 * - Tiles of 128 x 128 are best if enough of them occupy every multiprocessor. Smaller matrices get
 *   smaller tiles, 16 steps deep. They have spare registers for that, and need half the barriers.
 *
 * Predicted for an H200: nothing at 4096, because a float4 for 32 lanes takes four cycles to reach
 * the registers, however many lanes share it. At 512 twice the rate, from four times as many tiles
 * on half idle hardware. Measured: 44.6 TFLOP/s at 4096 after 45.1; 8.6 at 512 after 4.7, 23.7
 * after 15.7 at 1000 x 999 x 1001.
 *
 * VEC as in 8_tiles. Any size is supported. */
#include "launch.h"
#include "tiles.cuh"

template <int BM, int BN, int BK, int WM, int WN, bool VEC>
static __global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, 2)
    sgemm_warp_tiles(const float *__restrict__ A, const float *__restrict__ B, float *C, int m,
                     int n, int k, float alpha, float beta) {
    constexpr int THREADS = BM / WM * (BN / WN) * 32;
    constexpr int LANES_M = 8, LANES_N = 4, TM = WM / LANES_M, TN = WN / LANES_N;
    constexpr int ROW_STEP = LANES_M * 4, COL_STEP = LANES_N * 4; /* between groups of four */
    constexpr int A_EACH = BM * BK / 4 / THREADS, B_EACH = BK * BN / 4 / THREADS;
    static_assert(A_EACH * THREADS * 4 == BM * BK && B_EACH * THREADS * 4 == BK * BN,
                  "every thread fetches the same number of float4");
    __shared__ __align__(16) float As[2][BK][BM + 4], Bs[2][BK][BN];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int2 place = tile_place(blockIdx.x, (m - 1) / BM + 1, (n - 1) / BN + 1);
    int row0 = place.x * BM, col0 = place.y * BN;
    int row = warp / (BN / WN) * WM + lane / LANES_N * 4;
    int col = warp % (BN / WN) * WN + lane % LANES_N * 4;

    float4 a_next[A_EACH], b_next[B_EACH];
    auto fetch_tiles = [&](int k0) {
#pragma unroll
        for (int e = 0; e < A_EACH; e++) {
            int quad = tid + e * THREADS;
            a_next[e] = fetch<VEC>(A, row0 + quad / (BK / 4), k0 + quad % (BK / 4) * 4, m, k);
        }
#pragma unroll
        for (int e = 0; e < B_EACH; e++) {
            int quad = tid + e * THREADS;
            b_next[e] = fetch<VEC>(B, k0 + quad / (BN / 4), col0 + quad % (BN / 4) * 4, k, n);
        }
    };
    auto store_tiles = [&](int buffer) {
#pragma unroll
        for (int e = 0; e < A_EACH; e++) {
            int quad = tid + e * THREADS, r = quad / (BK / 4), c = quad % (BK / 4) * 4;
            As[buffer][c][r] = a_next[e].x;
            As[buffer][c + 1][r] = a_next[e].y;
            As[buffer][c + 2][r] = a_next[e].z;
            As[buffer][c + 3][r] = a_next[e].w;
        }
#pragma unroll
        for (int e = 0; e < B_EACH; e++) {
            int quad = tid + e * THREADS;
            *(float4 *)&Bs[buffer][quad / (BN / 4)][quad % (BN / 4) * 4] = b_next[e];
        }
    };
    float sum[TM][TN] = {};
    fetch_tiles(0);
    store_tiles(0);
    __syncthreads();
    int buffer = 0;
    for (int k0 = 0; k0 < k; k0 += BK, buffer ^= 1) {
        bool more = k0 + BK < k;
        if (more)
            fetch_tiles(k0 + BK);
#pragma unroll
        for (int i = 0; i < BK; i++) {
            float a[TM], b[TN];
#pragma unroll
            for (int g = 0; g < TM / 4; g++)
                *(float4 *)&a[g * 4] = *(const float4 *)&As[buffer][i][row + g * ROW_STEP];
#pragma unroll
            for (int g = 0; g < TN / 4; g++)
                *(float4 *)&b[g * 4] = *(const float4 *)&Bs[buffer][i][col + g * COL_STEP];
#pragma unroll
            for (int r = 0; r < TM; r++)
#pragma unroll
                for (int c = 0; c < TN; c++)
                    sum[r][c] += a[r] * b[c];
        }
        if (more)
            store_tiles(buffer ^ 1);
        __syncthreads();
    }

    store_results<VEC, ROW_STEP, COL_STEP>(sum, C, row0 + row, col0 + col, m, n, alpha, beta);
}

template <int BM, int BN, int BK, int WM, int WN>
static cudaError_t multiply_by_tiles(const float *A, const float *B, float *C, int m, int n, int k,
                                     float alpha, float beta, cudaStream_t stream) {
    size_t blocks = (size_t)((m - 1) / BM + 1) * ((n - 1) / BN + 1);
    if (blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    auto *kernel = whole_vectors(A, B, C, n, k, alpha)
                       ? sgemm_warp_tiles<BM, BN, BK, WM, WN, true>
                       : sgemm_warp_tiles<BM, BN, BK, WM, WN, false>;
    return launch(kernel, (unsigned)blocks, BM / WM * (BN / WN) * 32, A, B, C, m, n, k, alpha, beta,
                  stream);
}

extern "C" cudaError_t wbk_sgemm_warp_tiles(const float *A, const float *B, float *C, int m, int n,
                                            int k, float alpha, float beta, cudaStream_t stream) {
    const int processors = multiprocessors();
    size_t tiles_128 = (size_t)((m - 1) / 128 + 1) * ((n - 1) / 128 + 1);
    size_t tiles_64 = (size_t)((m - 1) / 64 + 1) * ((n - 1) / 64 + 1);
    if (tiles_128 >= (size_t)processors)
        return multiply_by_tiles<128, 128, 8, 64, 32>(A, B, C, m, n, k, alpha, beta, stream);
    if (tiles_64 >= (size_t)processors)
        return multiply_by_tiles<64, 64, 16, 32, 32>(A, B, C, m, n, k, alpha, beta, stream);
    return multiply_by_tiles<64, 32, 16, 32, 16>(A, B, C, m, n, k, alpha, beta, stream);
}
