/* C = alpha A B + beta C in bf16, with tiles that suit the size.
 *
 * The idea: 1024 x 1024 has 32 tiles of 128 x 256 for 132 multiprocessors, but 128 tiles of 64 x
 * 128, each small enough for one warpgroup. These read twice as much per result, so they are for
 * small matrices only. A model (cost.cuh, widths.cuh) chooses among all rungs: these tiles,
 * 7_persistent's larger ones, 8_stream_k for incomplete rounds, 11_parts for flat and narrow
 * matrices and for rows that TMA does not support, 18_wgmma_parts for deep k and few tiles, and
 * 19_direct for very small matrices.
 *
 * In a product of 8 microseconds, start and end dominate (an empty kernel takes 3.3). So there is
 * no loop over tiles, eight steps are in flight before the block's first barrier, and the code is
 * short.
 *
 * Predicted for 1024 each: 4,096 cycles of multiplication instead of 16,384, 7 of 15 microseconds.
 * Measured on an H200: 8.2; 261 TFLOP/s (7_persistent with 128 x 128 tiles 202, cuBLAS 249).
 *
 * The choice relative to cuBLAS (1.00): 1024 1.05, 1536 0.98, 2048 1.01, 3072 1.02, 4096 1.02, 6144
 * 1.035, 8192 1.05, 4096x1024x8192 0.99. At 2,347 random shapes from 8 to 16384 a side: 1.014; 95
 * of 100 at least 0.787, the worst 0.547. Products of 8 to 64 rows or columns with a deep k can be
 * slow: tiles of 64 x 64 in one part request too little at once.
 *
 * The tiles need compute capability 9.0 and rows of multiples of 16 bytes. Otherwise padded.cuh
 * copies the operands if its cost model says that this is faster, and 11_parts multiplies them as
 * they are if not. */
#include "common/by_size.cuh"

typedef __nv_bfloat16 bf16;

extern "C" cudaError_t wbk_gemm_by_size_bf16(const bf16 *A, const bf16 *B, bf16 *C, int m, int n,
                                             int k, float alpha, float beta, cudaStream_t stream) {
    static const rungs<bf16> RUNGS = {wbk_gemm_persistent_bf16,    wbk_gemm_stream_k_bf16,
                                      small_tiles::multiply<bf16>, wbk_gemm_wgmma_parts_bf16,
                                      wbk_gemm_direct_bf16,        wbk_gemm_parts_bf16,
                                      wbk_gemm_shallow_bf16,       wbk_gemm_wgmma_parts_loose_bf16};
    return multiply_by_size(RUNGS, A, B, C, m, n, k, alpha, beta, stream);
}
