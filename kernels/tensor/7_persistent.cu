/* C = alpha A B + beta C in bf16: persistent blocks that store results during the next tile.
 *
 * The idea: in 5_roles each tile begins with empty buffers and ends with stores, while the tensor
 * cores idle. Here one block per multiprocessor takes tile after tile:
 * - The fetching thread runs ahead into the next tile while this one is finished.
 * - A finished tile is only rounded to bf16, which halves it to 64 registers, and the next tile
 *   begins at once. Between its first steps, 64 columns at a time, the old results go to shared
 *   memory by stmatrix, and from there to memory by TMA.
 * - The first copies start before the block's first barrier. The last tile's results use buffers
 *   that are no longer needed.
 * - Every other tile goes through k backwards, because L2 still has what was read last.
 *
 * Predicted: 4 % off 5_roles' time for the ends of tiles, more for starts. Measured on an H200 at
 * its power limit: 4096 each 764 TFLOP/s (662 before; cuBLAS 747), 8192 each 699 (651; cuBLAS 674).
 * A multiprocessor takes 271,000 cycles at 4096, 262,144 of them for the multiplication, so the
 * clock is the limit: 1.6 GHz of 1.98 (1.4 at 8192). Saving energy saves time: k back and forth 0.5
 * %; 128 blocks of four tiles instead of 132 0.8 %. Clusters of one block get a better placement:
 * 176 microseconds instead of 183.
 *
 * Tiles are 128 x 256, or narrower if that takes less time in whole rounds. Predicted for 3072
 * each: three rounds of 128 x 192 at 0.77: 23 %. Measured: 75.8 microseconds after 89.4 (cuBLAS
 * 76.8).
 *
 * A width need not be a multiple of a box's 64 columns: TMA also swizzles a narrower box into rows
 * of 128 bytes, of which wgmma reads the front. Predicted for 1536: one round of 160 columns
 * instead of 192: 17 %. Measured: 1536 15.5 after 17.0 (cuBLAS 15.1), 2688 52.9 after 57.4 (55.7),
 * 3200 91.5 after 95.5 (89.4). Every other tile of 224 columns begins in the middle of a cache
 * line, so its narrow box comes first (part_column).
 *
 * If rows of B are no multiples of 64 bytes, a box's row of 128 bytes crosses two L2 lines, and
 * fetching takes longer than multiplying. Then pairs of blocks share B's tiles. Predicted: the rate
 * of aligned rows. Measured: 3000 each 83.4 microseconds after 107.2 (cuBLAS 79.0), 4104 209 after
 * 283 (193).
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/staying.cuh"

typedef __nv_bfloat16 bf16;

extern "C" cudaError_t wbk_gemm_persistent_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                                int k, float alpha, float beta,
                                                cudaStream_t stream) {
    return staying::multiply_any_width(A, B, C, m, n, k, alpha, beta, stream);
}
