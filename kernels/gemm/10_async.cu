/* C = alpha A B + beta C with asynchronous copies: tiles go into shared memory by themselves.
 *
 * What it teaches: 9_warp_tiles carries the next tile in registers, from the load before the
 * arithmetic to the store behind it, and can therefore look one tile ahead at most. cp.async
 * (sm_80) moves 4 or 16 bytes from global to shared memory without a register: a thread starts its
 * copies, goes on multiplying, and waits much later. Three buffers are in use, so that two tiles
 * are under way while the third is worked on, the tiles are 16 steps deep, and there is one
 * barrier every 16 steps where there was one every 8. A's tile still has to be turned. Copies of 4
 * bytes do it: eight lanes side by side along k, four rows, so that each request takes 4 whole
 * sectors; the turned rows are 132 floats apart, so that it meets 32 different banks. The 16 bytes
 * a copy of the vector route are needed for B alone, and A's rows may lie anywhere.
 *
 * Predicted: the copies take 10 instructions of a thread's 1,140 a tile where loads and stores
 * took 20 of 1,190 (two tiles of 8), and nothing waits for memory; 4 % at best, from the registers
 * that are free for fragments read a step ahead. Measured on an H200, 4096 x 4096 x 4096: 46.4
 * TFLOP/s after 44.6.
 *
 * Sectors/request: copies of A 4; of B 16 (4 x 16 bytes of a row for each 8 lanes); stores of C
 * 16. Any size is right. */
#include <stdint.h>

#include "gemm/async.cuh"
#include "warpbook.h"

constexpr int BM = 128, BN = 128, BK = 16, WM = 64, WN = 32, TM = 8, TN = 8, STAGES = 3;
constexpr int THREADS = 256, LANES_N = 4; /* a warp's lanes: 8 x 4 */
constexpr int PITCH = BM + 4, STAGE = BK * (PITCH + BN);
constexpr size_t SHARED = sizeof(float) * STAGE * STAGES;

template <bool VEC>
static __global__ void __launch_bounds__(THREADS, 2)
    sgemm_async(const float *__restrict__ A, const float *__restrict__ B, float *C, int m, int n,
                int k, float alpha, float beta) {
    extern __shared__ __align__(16) float ring[]; /* a stage: A's tile turned, then B's */
    constexpr int FLOATS = VEC ? 4 : 1, B_LANES = BN / FLOATS, B_ROWS = THREADS / B_LANES;
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    int a_k = tid % 8, a_row = tid / 8, b_row = tid / B_LANES, b_col = tid % B_LANES * FLOATS;
    auto copy_step = [&](int stage, int k0) {
        float *a_to = ring + stage * STAGE, *b_to = a_to + BK * PITCH;
#pragma unroll
        for (int q = a_k; q < BK + a_k; q += 8)
#pragma unroll
            for (int r = a_row; r < BM + a_row; r += THREADS / 8) {
                bool inside = row0 + r < m && k0 + q < k;
                async_copy<1>(&a_to[q * PITCH + r], &A[(size_t)(row0 + r) * k + k0 + q], inside);
            }
#pragma unroll
        for (int r = b_row; r < BK + b_row; r += B_ROWS) {
            bool inside = k0 + r < k && col0 + b_col < n;
            async_copy<FLOATS>(&b_to[r * BN + b_col], &B[(size_t)(k0 + r) * n + col0 + b_col],
                               inside);
        }
    };

    int steps = k > 0 ? (k - 1) / BK + 1 : 0;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps)
            copy_step(s, s * BK);
        async_commit();
    }
    int row = warp / (BN / WN) * WM + lane / LANES_N * 4;
    int col = warp % (BN / WN) * WN + lane % LANES_N * 4;
    float sum[TM][TN] = {};
    int reading = 0, writing = STAGES - 1;
    for (int step = 0; step < steps; step++) {
        async_wait<STAGES - 2>(); /* all groups but the newest: this step's tiles are here */
        __syncthreads();          /* for every thread; and the last step's tiles are read */
        if (step + STAGES - 1 < steps)
            copy_step(writing, (step + STAGES - 1) * BK);
        async_commit(); /* perhaps of nothing, so that the count of groups stays right */
        const float *As = ring + reading * STAGE, *Bs = As + BK * PITCH;
        float a[2][TM], b[2][TN]; /* the fragments in use, and those of the next of the 16 */
        auto read_fragments = [&](int f, int i) {
#pragma unroll
            for (int g = 0; g < TM / 4; g++)
                *(float4 *)&a[f][g * 4] = *(const float4 *)&As[i * PITCH + row + g * WM / 2];
#pragma unroll
            for (int g = 0; g < TN / 4; g++)
                *(float4 *)&b[f][g * 4] = *(const float4 *)&Bs[i * BN + col + g * WN / 2];
        };
        read_fragments(0, 0);
#pragma unroll
        for (int i = 0; i < BK; i++) {
            if (i + 1 < BK)
                read_fragments((i + 1) % 2, i + 1);
#pragma unroll
            for (int r = 0; r < TM; r++)
#pragma unroll
                for (int c = 0; c < TN; c++)
                    sum[r][c] += a[i % 2][r] * b[i % 2][c];
        }
        reading = reading + 1 == STAGES ? 0 : reading + 1;
        writing = writing + 1 == STAGES ? 0 : writing + 1;
    }

#pragma unroll
    for (int r = 0; r < TM; r++)
#pragma unroll
        for (int g = 0; g < TN / 4; g++) {
            int out_row = row0 + row + r / 4 * WM / 2 + r % 4, out_col = col0 + col + g * WN / 2;
            float *to = &C[(size_t)out_row * n + out_col];
            if (out_row >= m)
                continue;
            if (VEC && out_col < n) {
                float4 v = beta == 0 ? make_float4(0, 0, 0, 0) : *(float4 *)to;
                v.x = alpha * sum[r][g * 4] + beta * v.x;
                v.y = alpha * sum[r][g * 4 + 1] + beta * v.y;
                v.z = alpha * sum[r][g * 4 + 2] + beta * v.z;
                v.w = alpha * sum[r][g * 4 + 3] + beta * v.w;
                *(float4 *)to = v;
            } else if (!VEC) {
#pragma unroll
                for (int c = 0; c < 4; c++)
                    if (out_col + c < n)
                        to[c] = alpha * sum[r][g * 4 + c] + (beta == 0 ? 0 : beta * to[c]);
            }
        }
}

template <bool VEC>
static cudaError_t launch(const float *A, const float *B, float *C, int m, int n, int k,
                          float alpha, float beta, cudaStream_t stream) {
    cudaError_t status = cudaFuncSetAttribute(
        sgemm_async<VEC>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED);
    if (status != cudaSuccess)
        return status;
    dim3 grid((n - 1) / BN + 1, (m - 1) / BM + 1);
    sgemm_async<VEC><<<grid, THREADS, SHARED, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_sgemm_async(const float *A, const float *B, float *C, int m, int n,
                                       int k, float alpha, float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0 || m > BM * 65535)
        return cudaErrorInvalidValue; /* the grid's y ends at 65535 */
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read */
    bool vec = n % 4 == 0 && ((uintptr_t)B | (uintptr_t)C) % 16 == 0;
    return vec ? launch<true>(A, B, C, m, n, k, alpha, beta, stream)
               : launch<false>(A, B, C, m, n, k, alpha, beta, stream);
}
