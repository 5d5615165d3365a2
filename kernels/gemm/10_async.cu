/* C = alpha A B + beta C with asynchronous copies into shared memory.
 *
 * The idea: 9_warp_tiles holds the next tile in registers from its load until its store, so it can
 * prefetch only one tile. cp.async (sm_80) copies 4 or 16 bytes from global to shared memory
 * without a register. A thread starts its copies, multiplies, and waits much later. With three
 * buffers, two tiles are in flight during the work on the third. Tiles are 16 steps deep, so there
 * is one barrier every 16 steps instead of every 8. A's tile is transposed by 4-byte copies: eight
 * lanes along k and four rows, so that each request takes 4 whole sectors. Transposed rows are 132
 * floats apart, so a request meets 32 different banks. Only B needs 16-byte copies, so A's rows may
 * have any alignment.
 *
 * Predicted: a thread needs 10 instructions of 1,140 per tile for copies, instead of 20 of 1,190
 * for loads and stores (two tiles of 8), and never waits for memory. The free registers allow
 * fragments read a step ahead: 4 % at best. Measured on an H200, 4096 x 4096 x 4096: 46.4 TFLOP/s
 * after 44.6.
 *
 * Sectors/request: copies of A 4; of B 16 (4 x 16 bytes of a row for each 8 lanes); stores of C 16.
 * Any size is supported. */
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
    extern __shared__ __align__(16) float ring[]; /* a stage: A's transposed tile, then B's */
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
        async_wait<STAGES - 2>(); /* all groups except the newest: this step's tiles have arrived */
        __syncthreads();          /* for every thread; the previous tiles have been read */
        if (step + STAGES - 1 < steps)
            copy_step(writing, (step + STAGES - 1) * BK);
        async_commit(); /* maybe an empty group, so that the number of groups stays right */
        const float *As = ring + reading * STAGE, *Bs = As + BK * PITCH;
        float a[2][TM], b[2][TN]; /* the current fragments, and the next of the 16 */
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
        return cudaErrorInvalidValue; /* the limit of the grid's y */
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read */
    bool vec = n % 4 == 0 && ((uintptr_t)B | (uintptr_t)C) % 16 == 0;
    return vec ? launch<true>(A, B, C, m, n, k, alpha, beta, stream)
               : launch<false>(A, B, C, m, n, k, alpha, beta, stream);
}
