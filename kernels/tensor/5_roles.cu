/* C = alpha A B + beta C in bf16: one warpgroup fetches, two multiply.
 *
 * The idea: roles. In 4_tma the whole block has a barrier at each step before a tile's place is
 * refilled. Here one thread of a third warpgroup only fetches, and the two others only multiply.
 * Two barriers per tile connect them: full (the bytes have arrived) and empty (both have read
 * them). No warpgroup waits for one that is only slower.
 *
 * The fetching warpgroup gives its registers to the others (setmaxnreg). They then have room for
 * twice the results: 128 x 256 per block, 64 x 256 per warpgroup, the largest wgmma. Each fetched
 * element of A is used 256 times, each of B 128 times.
 *
 * Predicted: 0.75 of the bytes from L2, and no block barrier per step. Measured on an H200, 4096
 * each: 700 TFLOP/s (634 before).
 *
 * common/roles.cuh has the code. Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/roles.cuh"

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_roles(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
               bf16 *C, int m, int n, int k, float alpha, float beta) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    multiply_by_roles<1>(A, B, C, m, n, k, alpha, beta);
#endif
}

extern "C" cudaError_t wbk_gemm_roles_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                           int k, float alpha, float beta, cudaStream_t stream) {
    return launch_roles<1>(gemm_roles, A, B, C, m, n, k, alpha, beta, stream);
}
