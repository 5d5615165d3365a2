/* C = alpha A B + beta C on tensor cores, bf16 and TF32: a warp multiplies 16 x 16 tiles.
 *
 * The idea: wmma, an instruction of the whole warp. The tile's elements are distributed over the
 * lanes' registers in an unspecified order, which load_matrix_sync, mma_sync and store_matrix_sync
 * handle. The rest is the tiled kernel: a block loads 64 x 32 and 32 x 64 elements into shared
 * memory, and each of its four warps has 32 x 32 results.
 *
 * Products are of bfloat16 (8 significant bits) or TF32 (11: a float without its last 13 bits, here
 * rounded to nearest), and sums are in fp32. A bf16 result is rounded once, at the end. Error of
 * TF32: each input is off by at most 2^-11 of itself, so the result by about 2^-10 sum |a b|,
 * besides fp32's own error.
 *
 * Needs compute capability 8.0; runs on softgpu. Any size is supported.
 *
 * Predicted for 4096 each in bf16 on an H200: a block's step has 256 one-cycle loads and stores of
 * 2-byte elements, and 64 cycles of products: 268 TFLOP/s if they overlapped. Measured: 43 TFLOP/s
 * in bf16, 32 in TF32, of 989 and 495. Every element still passes through registers, and nothing
 * overlaps.
 *
 * Sectors/request: loads of A 32 (64 bytes of a row in bf16) and of B 64, so 4 each. */
#include <mma.h>

#include <type_traits>

#include "common/tensor.cuh"

using namespace nvcuda;

enum { TILE = 64, DEEP = 32, THREADS = 128 };

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    gemm_wmma(const T *__restrict__ A, const T *__restrict__ B, T *C, int m, int n, int k,
              float alpha, float beta) {
#if __CUDA_ARCH__ >= 800
    typedef std::conditional_t<sizeof(T) == 2, __nv_bfloat16, wmma::precision::tf32> M;
    constexpr int K = sizeof(T) == 2 ? 16 : 8, PAD = 16 / sizeof(T);
    __shared__ __align__(32) T As[TILE][DEEP + PAD], Bs[DEEP][TILE + PAD];
    __shared__ __align__(32) float Cs[TILE][TILE + 4];
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE, tid = threadIdx.x;
    int row = tid / 32 / 2 * 32, col = tid / 32 % 2 * 32; /* of this warp's results in the tile */

    wmma::fragment<wmma::accumulator, 16, 16, K, float> sum[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k0 = 0; k0 < k; k0 += DEEP) {
        for (int i = tid; i < TILE * DEEP; i += THREADS) {
            int r = row0 + i / DEEP, c = k0 + i % DEEP;
            As[i / DEEP][i % DEEP] = r < m && c < k ? A[(size_t)r * k + c] : T(0.0f);
        }
        for (int i = tid; i < DEEP * TILE; i += THREADS) {
            int r = k0 + i / TILE, c = col0 + i % TILE;
            Bs[i / TILE][i % TILE] = r < k && c < n ? B[(size_t)r * n + c] : T(0.0f);
        }
        __syncthreads();
        for (int kk = 0; kk < DEEP; kk += K) {
            wmma::fragment<wmma::matrix_a, 16, 16, K, M, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, K, M, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[row + 16 * i][kk], DEEP + PAD);
                wmma::load_matrix_sync(b[i], &Bs[kk][col + 16 * i], TILE + PAD);
                if constexpr (sizeof(T) == 4) {
                    for (int e = 0; e < a[i].num_elements; e++)
                        a[i].x[e] = wmma::__float_to_tf32(a[i].x[e]);
                    for (int e = 0; e < b[i].num_elements; e++)
                        b[i].x[e] = wmma::__float_to_tf32(b[i].x[e]);
                }
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&Cs[row + 16 * i][col + 16 * j], sum[i][j], TILE + 4,
                                    wmma::mem_row_major);
    __syncthreads();
    for (int i = tid; i < TILE * TILE; i += THREADS) {
        int r = row0 + i / TILE, c = col0 + i % TILE;
        if (r < m && c < n) {
            T *to = &C[(size_t)r * n + c];
            *to = scaled<T>(Cs[i / TILE][i % TILE], to, alpha, beta);
        }
    }
#endif
}

template <typename T>
static cudaError_t launch(const T *A, const T *B, T *C, int m, int n, int k, float alpha,
                          float beta, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (alpha == 0)
        k = 0; /* A and B are not read then (the BLAS rule) */
    cudaError_t status = compiled_for(gemm_wmma<T>, 80);
    if (status != cudaSuccess)
        return status;
    dim3 blocks((n - 1) / TILE + 1, (m - 1) / TILE + 1);
    if (blocks.y > 65535)
        return cudaErrorInvalidValue;
    gemm_wmma<T><<<blocks, THREADS, 0, stream>>>(A, B, C, m, n, k, alpha, beta);
    return cudaGetLastError();
}

extern "C" cudaError_t wbk_gemm_wmma_bf16(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                                          __nv_bfloat16 *C, int m, int n, int k, float alpha,
                                          float beta, cudaStream_t stream) {
    return launch(A, B, C, m, n, k, alpha, beta, stream);
}

extern "C" cudaError_t wbk_gemm_wmma_tf32(const float *A, const float *B, float *C, int m, int n,
                                          int k, float alpha, float beta, cudaStream_t stream) {
    return launch(A, B, C, m, n, k, alpha, beta, stream);
}
