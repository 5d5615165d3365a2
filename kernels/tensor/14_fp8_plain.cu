/* C = alpha sa sb A B + beta C of fp8 (e4m3), without tensor cores.
 *
 * The idea: e4m3 has a sign, four bits of exponent and three of fraction: 1.fff x 2^(e - 7), or
 * 0.fff x 2^-6 if e is 0, up to 448. All ones are NaN, and there is no infinity. With only four
 * significant bits, the largest element of a matrix determines the precision of the small ones. So
 * each matrix has a scale, one float in device memory, that multiplies its elements; here once per
 * result, at the end.
 *
 * B is stored by columns (column j is B + j k), as tensor cores need it (15_fp8). A block computes
 * 64 x 64 results, 32 deep per step. Bytes become floats on the way into shared memory, and are
 * multiplied and added exactly like floats. Sectors/request: single bytes, 32 of a row per warp: 1.
 *
 * Any shape, any GPU, softgpu. It is the reference for the others, and 15_fp8's fallback. */
#include <cuda_fp8.h>

#include "common/tensor.cuh"

typedef __nv_fp8_e4m3 fp8;

enum { TILE = 64, DEPTH = 32, THREADS = 256, PITCH = TILE + 4 };

/* Loads 64 rows of `from` (`depth` bytes each, `rows` of them exist), DEPTH bytes, transposed. */
static __device__ void load_tile(float (*to)[PITCH], const fp8 *from, int row0, int rows, int k0,
                                 int k) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
        int row = row0 + i / DEPTH, at = k0 + i % DEPTH;
        to[i % DEPTH][i / DEPTH] = row < rows && at < k ? float(from[(size_t)row * k + at]) : 0;
    }
}

template <class Out>
static __global__ void __launch_bounds__(THREADS)
    gemm_fp8_plain(const fp8 *A, const fp8 *B, Out *C, int m, int n, int k, float alpha, float beta,
                   const float *scale_a, const float *scale_b) {
    __shared__ float a[DEPTH][PITCH], b[DEPTH][PITCH];
    const int across = (n - 1) / TILE + 1;
    const int row0 = blockIdx.x / across * TILE, col0 = blockIdx.x % across * TILE;
    const int row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        load_tile(a, A, row0, m, k0, k);
        load_tile(b, B, col0, n, k0, k);
        __syncthreads();
        for (int kk = 0; kk < DEPTH; kk++)
#pragma unroll
            for (int i = 0; i < 16; i++)
                sum[i / 4][i % 4] += a[kk][row + i / 4] * b[kk][col + i % 4];
        __syncthreads();
    }
    if (k > 0 && scale_a)
        alpha *= *scale_a;
    if (k > 0 && scale_b)
        alpha *= *scale_b;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int r = row0 + row + i / 4, c = col0 + col + i % 4;
        if (r < m && c < n) {
            Out *to = &C[(size_t)r * n + c];
            *to = scaled<Out>(sum[i / 4][i % 4], to, alpha, beta);
        }
    }
}

template <class Out>
static cudaError_t multiply(const fp8 *A, const fp8 *B, Out *C, int m, int n, int k, float alpha,
                            float beta, const float *scale_a, const float *scale_b,
                            cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    long long blocks = ((m - 1LL) / TILE + 1) * ((n - 1LL) / TILE + 1);
    if (blocks > 0x7fffffff || k > 0x7fffffff - DEPTH)
        return cudaErrorInvalidValue;
    if (alpha == 0)
        k = 0; /* A, B and their scales are not read then (the BLAS rule) */
    gemm_fp8_plain<<<(unsigned)blocks, THREADS, 0, stream>>>(A, B, C, m, n, k, alpha, beta, scale_a,
                                                             scale_b);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_gemm_fp8_plain_bf16(const fp8 *A, const fp8 *B, __nv_bfloat16 *C, int m,
                                               int n, int k, float alpha, float beta,
                                               const float *scale_a, const float *scale_b,
                                               cudaStream_t stream) {
    return multiply(A, B, C, m, n, k, alpha, beta, scale_a, scale_b, stream);
}
extern "C" cudaError_t wbk_gemm_fp8_plain_f32(const fp8 *A, const fp8 *B, float *C, int m, int n,
                                              int k, float alpha, float beta, const float *scale_a,
                                              const float *scale_b, cudaStream_t stream) {
    return multiply(A, B, C, m, n, k, alpha, beta, scale_a, scale_b, stream);
}
