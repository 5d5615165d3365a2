/* C = alpha A B + beta C in bf16: blocks that stay, and results put away during the next tile.
 *
 * What it teaches: in 5_roles each tile begins with empty buffers and ends with stores while the
 * tensor cores stand still. Here as many blocks as there are multiprocessors take tile after tile:
 * - the fetching thread runs ahead into the next tile while this one is finished;
 * - a finished tile is only rounded to bf16, which halves it to 64 registers, and the next tile
 *   begins at once; between its first steps, 64 columns at a time, the old results go to shared
 *   memory by stmatrix and from there by TMA;
 * - the first copies start before the block has met, and the last tile's results leave through
 *   buffers that nothing more is fetched into;
 * - every other tile goes through k from its end: the L2 cache still holds what was read last.
 *
 * Predicted: 4 % off 5_roles' time for the ends of tiles, more for starts. Measured on an H200,
 * random reals, the chip at its power limit: 4096 each 764 TFLOP/s (662 before; cuBLAS 747), 8192
 * each 699 (651; cuBLAS 674).
 *
 * Measured by a multiprocessor's clock, 4096 each: 271,000 cycles, of which 262,144 are the
 * multiplication of four tiles, 3,000 the start (until the first tile is there) and 4,000 the end.
 * Little is left to win there; the rest is the clock, which is 1.6 GHz of 1.98 during the product
 * and 1.4 at 8192 (700 W). So time is won by what saves energy: k back and forth 0.5 %; 128 blocks
 * with four tiles each rather than 132, of which 16 have three, 0.8 %. Which tiles are neighbours
 * on the chip matters too: launched as clusters of one block, which seem to be dealt out otherwise,
 * the same kernel took 183 microseconds in place of 176. Pairs of blocks that share B's tiles
 * (6_cluster) are then as fast and no faster, and start half a microsecond later. The product
 * turned (256 x 128, columns of B for wgmma's 64 rows, results by stmatrix.trans) takes 1 % more.
 *
 * Tiles are 128 x 256, or narrower where these take less time in whole rounds. Predicted for 3072
 * each: three rounds of 128 x 192, each 0.77 as long, in place of three: 23 %. Measured: 75.8
 * microseconds after 89.4 (cuBLAS 76.8): the clock falls as the multiprocessors fill.
 *
 * A width need not be a multiple of a box's 64 columns: TMA swizzles a narrower box into rows of
 * 128 bytes all the same, of which wgmma reads the front. Predicted: 1536 in one round of 160
 * columns in place of 192, 0.625 / 0.75: 17 %; 2688 in two of 224 in place of 256: 12 %. Measured:
 * 1536 15.5 after 17.0 (cuBLAS 15.1), 2176 33.9 after 37.8 (33.5), 2688 52.9 after 57.4 (55.7),
 * 3200 91.5 after 95.5 (89.4). The last took 102 at first: every other tile of 224 columns begins
 * in the middle of a cache line, and so did all its boxes until the narrow one came first
 * (part_column).
 *
 * Where rows of B are no multiples of 64 bytes, a row of a box, 128 bytes, lies across two lines of
 * the L2 cache, and fetching takes longer than multiplying. There pairs of blocks do share B's
 * tiles. Predicted: as many lines as of aligned rows, and their pace. Measured: 3000 each 83.4
 * microseconds after 107.2 (cuBLAS 79.0), 4104 215 after 283 (193), 2504x5000x2600 124 after 168
 * (110); with 224 columns the last two 209 and 105.
 *
 * Needs compute capability 9.0 and rows of multiples of 16 bytes. */
#include "common/staying.cuh"

typedef __nv_bfloat16 bf16;

extern "C" cudaError_t wbk_gemm_persistent_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                                int k, float alpha, float beta,
                                                cudaStream_t stream) {
    return staying::multiply_any_width(A, B, C, m, n, k, alpha, beta, stream);
}
