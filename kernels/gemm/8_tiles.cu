/* C = alpha A B + beta C: 128x128x8 tiles, 8 x 8 results per thread, float4, two buffers.
 *
 * The idea, as a template over its tile sizes:
 * - float4: 16 bytes per load and a quarter of the instructions.
 * - A's tile is stored transposed. A thread's eight elements of A are then adjacent, and two float4
 *   reads get them, as for B. Padding keeps the transposed stores free of bank conflicts.
 * - A thread's rows and columns come in groups of four, half a tile apart, so that neighbouring
 *   lanes read neighbouring float4.
 * - PREFETCH: during the work on a tile, the next one is on its way into registers and then a
 *   second buffer. Arithmetic hides the memory's latency, with one barrier per tile.
 *
 * Predicted for 4096 x 4096 x 4096 on an H200: shared memory 139,000 cycles, issue 153,000,
 * arithmetic 131,000 (at 256): 57 TFLOP/s with full overlap. Measured: 37.6 after 16.7, because
 * nothing overlaps with a tile's fetch. With PREFETCH: 45.1. With 64 x 64 tiles and 4 x 4 results
 * per thread shared memory needs 278,000 cycles: 31.5 predicted, 31.0 measured, but at 512, where
 * small tiles keep more multiprocessors busy, 6.8 against 4.7.
 *
 * The launcher chooses VEC: float4 needs k and n to be multiples of 4, and 16-byte aligned
 * pointers. Otherwise the kernel loads single elements. Any size is supported.
 *
 * Sectors/request: loads of A 16 rows of one sector (32 bytes of k), of B 16; store of C 16. */
#include "tiles.cuh"

template <int BM, int BN, int BK, int TM, int TN, bool PREFETCH, bool VEC>
static __global__ void __launch_bounds__(BM *BN / (TM * TN))
    sgemm_tiles(const float *__restrict__ A, const float *__restrict__ B, float *C, int m, int n,
                int k, float alpha, float beta) {
    constexpr int THREADS = BM * BN / (TM * TN), BUFFERS = PREFETCH ? 2 : 1;
    constexpr int A_QUADS = BM * BK / 4, A_EACH = (A_QUADS + THREADS - 1) / THREADS;
    constexpr int B_QUADS = BK * BN / 4, B_EACH = (B_QUADS + THREADS - 1) / THREADS;
    constexpr int ROW_STEP = BM / (TM / 4), COL_STEP = BN / (TN / 4); /* between groups of four */
    __shared__ __align__(16) float As[BUFFERS][BK][BM + 4], Bs[BUFFERS][BK][BN];
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, tid = threadIdx.x;
    int row = tid / (BN / TN) * 4, col = tid % (BN / TN) * 4; /* this thread's first group */

    float4 a_next[A_EACH], b_next[B_EACH];
    auto fetch_tiles = [&](int k0) {
#pragma unroll
        for (int e = 0; e < A_EACH; e++) {
            int quad = tid + e * THREADS;
            if (A_QUADS % THREADS == 0 || quad < A_QUADS)
                a_next[e] = fetch<VEC>(A, row0 + quad / (BK / 4), k0 + quad % (BK / 4) * 4, m, k);
        }
#pragma unroll
        for (int e = 0; e < B_EACH; e++) {
            int quad = tid + e * THREADS;
            if (B_QUADS % THREADS == 0 || quad < B_QUADS)
                b_next[e] = fetch<VEC>(B, k0 + quad / (BN / 4), col0 + quad % (BN / 4) * 4, k, n);
        }
    };
    auto store_tiles = [&](int buffer) {
#pragma unroll
        for (int e = 0; e < A_EACH; e++) {
            int quad = tid + e * THREADS, r = quad / (BK / 4), c = quad % (BK / 4) * 4;
            if (A_QUADS % THREADS == 0 || quad < A_QUADS) {
                As[buffer][c][r] = a_next[e].x;
                As[buffer][c + 1][r] = a_next[e].y;
                As[buffer][c + 2][r] = a_next[e].z;
                As[buffer][c + 3][r] = a_next[e].w;
            }
        }
#pragma unroll
        for (int e = 0; e < B_EACH; e++) {
            int quad = tid + e * THREADS;
            if (B_QUADS % THREADS == 0 || quad < B_QUADS)
                *(float4 *)&Bs[buffer][quad / (BN / 4)][quad % (BN / 4) * 4] = b_next[e];
        }
    };
    float sum[TM][TN] = {};
    auto multiply = [&](int buffer) {
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
    };

    if (PREFETCH) {
        fetch_tiles(0);
        store_tiles(0);
        __syncthreads();
        int buffer = 0;
        for (int k0 = 0; k0 < k; k0 += BK, buffer ^= 1) {
            bool more = k0 + BK < k;
            if (more)
                fetch_tiles(k0 + BK);
            multiply(buffer);
            if (more)
                store_tiles(buffer ^ 1); /* free since the last barrier */
            __syncthreads();
        }
    } else {
        for (int k0 = 0; k0 < k; k0 += BK) {
            fetch_tiles(k0);
            store_tiles(0);
            __syncthreads();
            multiply(0);
            __syncthreads();
        }
    }

    store_results<VEC, ROW_STEP, COL_STEP>(sum, C, row0 + row, col0 + col, m, n, alpha, beta);
}

template <int BM, int BN, int BK, int TM, int TN, bool PREFETCH>
static cudaError_t multiply_by_tiles(const float *A, const float *B, float *C, int m, int n, int k,
                                     float alpha, float beta, cudaStream_t stream) {
    auto *kernel = whole_vectors(A, B, C, n, k, alpha)
                       ? sgemm_tiles<BM, BN, BK, TM, TN, PREFETCH, true>
                       : sgemm_tiles<BM, BN, BK, TM, TN, PREFETCH, false>;
    dim3 grid(tiles(n, BN), tiles(m, BM));
    return launch(kernel, grid, BM * BN / (TM * TN), A, B, C, m, n, k, alpha, beta, stream);
}

extern "C" cudaError_t wbk_sgemm_tiles(const float *A, const float *B, float *C, int m, int n,
                                       int k, float alpha, float beta, cudaStream_t stream) {
    return multiply_by_tiles<128, 128, 8, 8, 8, false>(A, B, C, m, n, k, alpha, beta, stream);
}

extern "C" cudaError_t wbk_sgemm_tiles_prefetch(const float *A, const float *B, float *C, int m,
                                                int n, int k, float alpha, float beta,
                                                cudaStream_t stream) {
    return multiply_by_tiles<128, 128, 8, 8, 8, true>(A, B, C, m, n, k, alpha, beta, stream);
}

extern "C" cudaError_t wbk_sgemm_tiles_64(const float *A, const float *B, float *C, int m, int n,
                                          int k, float alpha, float beta, cudaStream_t stream) {
    return multiply_by_tiles<64, 64, 8, 4, 4, true>(A, B, C, m, n, k, alpha, beta, stream);
}
