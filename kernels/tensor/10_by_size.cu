/* C = alpha A B + beta C in bf16: tiles to suit the size.
 *
 * What it teaches: 1024 x 1024 has 32 tiles of 128 x 256, for 132 multiprocessors. Of 64 x 128 it
 * has 128, which one warpgroup each is enough to multiply. These read twice as much for a result
 * and are for small matrices only; which tiles suit is calculated from the rounds they make on this
 * device, 7_persistent has the larger ones, and 8_stream_k shares out what fills no round. Flat and
 * narrow matrices, and those whose rows TMA does not take, are 11_parts' business, a deep k for few
 * tiles that of 18_wgmma_parts, very small ones that of 19_direct; which of all these takes least
 * is calculated too (cost.cuh, widths.cuh).
 *
 * A product of 8 microseconds, of which an empty kernel takes 3.3, is all start and end. So there
 * is no loop over tiles, eight steps are on their way before the block has met, and the code is
 * short: 7_persistent's kernel, with tiles of this size, took 9.4.
 *
 * Predicted for 1024 each: 4,096 cycles of multiplication in place of 16,384, 7 of 15 microseconds.
 * Measured on an H200: 8.2; 261 TFLOP/s (7_persistent with 128 x 128 tiles 202, cuBLAS 249). Tiles
 * of 128 x 128 whose steps two blocks of a cluster share, and whose sums they exchange, took 11.4,
 * a third of it the exchange and the stores. Tiles of 128 x 192 and 128 x 256 by code as short as
 * this are no faster than 7_persistent's, even one a block (1536, 2048: 17.2 and 26.9 after 17.0
 * and 26.7).
 *
 * What is chosen here beside cuBLAS (1.00): 1024 1.05, 1536 0.98, 2048 1.01, 2560 1.14, 3072 1.02,
 * 4096 1.02, 5120 1.01, 6144 1.035, 7168 1.01, 8192 1.05, 4096x1024x8192 0.99. Of 24 square sizes
 * from 1152 to 6400 cuBLAS is faster at 1152 (0.93), 1536, 2176 (0.99) and 3200 (0.98); run at each
 * of these in every shape, the one chosen cost 2 % at most. Rows of B that are no multiple of 64
 * bytes, for which 7_persistent has pairs: 1000 0.89, 1512 0.90, 2008 0.97, 3000 0.95, 4104 0.92,
 * 5000 0.97, 2504x5000x2600 1.04, 8200x4104x2056 1.01.
 *
 * At random shapes from 8 to 16384 a side, before 19_direct and the constants that go with it and
 * since: on an H100 (an earlier fit, 2,873 shapes) 0.977 of cuBLAS and 1.007, on an H200 (2,347)
 * 0.975 and 1.014, 95 of 100 at least 0.802 and 0.787 there, the worst 0.484 and 0.547; nothing
 * changes at the sizes above. Up to 1.6 times slower than before are some products of 8 to 64 rows
 * or columns and a deep k, where memory decides: tiles of 64 x 64 in one part ask for too little at
 * once, which the model does not know.
 *
 * At 1536 cuBLAS takes no longer than the start and 13,400 cycles, all multiprocessors busy; 120
 * tiles of 128 x 160 and 132 of 128 x 144 take the same 15.5 microseconds here, and those of 144
 * took 17 while three whole boxes of 64 columns were fetched for them.
 *
 * The tiles here need compute capability 9.0 and rows of multiples of 16 bytes; elsewhere it is
 * 11_parts. */
#include "common/by_size.cuh"

typedef __nv_bfloat16 bf16;

extern "C" cudaError_t wbk_gemm_by_size_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                             int k, float alpha, float beta, cudaStream_t stream) {
    static const rungs<bf16> RUNGS = {wbk_gemm_persistent_bf16,    wbk_gemm_stream_k_bf16,
                                      small_tiles::multiply<bf16>, wbk_gemm_wgmma_parts_bf16,
                                      wbk_gemm_direct_bf16,        wbk_gemm_parts_bf16};
    return multiply_by_size(RUNGS, A, B, C, m, n, k, alpha, beta, stream);
}
