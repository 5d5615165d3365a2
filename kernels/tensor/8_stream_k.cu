/* C = alpha A B + beta C in bf16: stream-K on tensor cores.
 *
 * What it teaches: 5120 x 5120 makes 800 tiles of 128 x 256: six rounds on 132 multiprocessors, and
 * a seventh for eight tiles. As in gemm/13_stream_k the steps of the last tiles are laid end to end
 * and cut into equal shares, and who has a tile's first steps hands their sums on to who has its
 * last. What is different here:
 * - C cannot hold the sums on the way: they are fp32, and rounded once. They go through memory of
 *   their own, 128 KB a block, which the L2 cache keeps;
 * - nobody waits: a share is no shorter than a tile, its head is computed first, its tail last. The
 *   sums are stored as the registers hold them, a warp that has nothing else to do tells that they
 *   are there, and the fetching thread fetches them by TMA behind the tail's last step, as one
 *   more kind of step;
 * - the flags are set to zero by a kernel before, and this one starts while that one still runs.
 *
 * A whole tile among a share's starts at the step of k that its block has reached, so that all
 * blocks are at one of two places of k at any time and find in the L2 cache what others have read.
 *
 * Predicted for 5120 each: 6.06 rounds and 4 % for the sums in place of 9 rounds of 128 x 192, each
 * 0.77 as long: 9 %; for 8192, 15.5 rounds in place of 16, two thirds of 3 %, because the chip is
 * at its power limit and more multiprocessors at work clock lower. Measured on an H200, in the same
 * process: 5120 340 microseconds after 365 (cuBLAS 344), 6144 656 after 663 (675), 8192 1,549 after
 * 1,583 (1,644), 2560 52.2 after 54.0 (55.9). Hence SHARING_COST: where less is idle, as at 4096
 * and 7168, nothing is won. What it took: in a first form, heads computed last and their sums
 * fetched by ordinary loads after the tail, sharing cost up to 14 microseconds; whole tiles that
 * all start at k = 0 lose 3 % at 7168 to what the L2 cache then lacks; flags set to zero by a
 * memset take 2.5 microseconds, of which the early start saves one.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/sharing.cuh"

typedef __nv_bfloat16 bf16;

extern "C" cudaError_t wbk_gemm_stream_k_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                              int k, float alpha, float beta, cudaStream_t stream) {
    return sharing::multiply(A, B, C, m, n, k, alpha, beta, stream);
}
