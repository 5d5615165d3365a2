/* C = alpha A B + beta C in bf16: stream-K on tensor cores.
 *
 * The idea: 5120 x 5120 has 800 tiles of 128 x 256: six rounds on 132 multiprocessors, and a
 * seventh for eight tiles. As in gemm/13_stream_k, the steps of the last tiles are laid end to end
 * and cut into equal shares. The block with a tile's first steps hands its sums to the block with
 * the last ones. The differences:
 * - C cannot hold these sums, because they are fp32 and rounded only once. They go through separate
 *   memory, 128 KB per block, which stays in L2.
 * - No block waits. A share is at least as long as a tile, its head is computed first and its tail
 *   last. The sums are stored in the registers' layout, and an idle warp sets the flag. The
 *   fetching thread loads them by TMA behind the tail's last step, like another step.
 * - A previous kernel clears the flags, and this one starts while that still runs.
 *
 * A whole tile of a share starts at the step of k that its block has reached. So at any time all
 * blocks are at one of two places of k, and find in L2 what others have read.
 *
 * Predicted for 5120 each: 6.06 rounds and 4 % for the sums instead of 9 rounds of 128 x 192 at
 * 0.77: 9 %; for 8192, 15.5 rounds instead of 16, two thirds of 3 %, because more busy
 * multiprocessors lower the clock. Measured on an H200 in the same process: 5120 340 microseconds
 * after 365 (cuBLAS 344), 6144 656 after 663 (675), 8192 1,549 after 1,583 (1,644), 2560 52.2 after
 * 54.0 (55.9). If less is idle, as at 4096 and 7168, sharing gains nothing (SHARING_COST).
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/sharing.cuh"

typedef __nv_bfloat16 bf16;

extern "C" cudaError_t wbk_gemm_stream_k_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                              int k, float alpha, float beta, cudaStream_t stream) {
    return sharing::multiply(A, B, C, m, n, k, alpha, beta, stream);
}
