/* C = alpha A B + beta C in fp16: the rungs on wgmma, at any size.
 *
 * The idea: fp16 and bf16 both have 16 bits and the same rate. Kernels differ only in the
 * instruction's name and the last rounding. So 7_persistent, 8_stream_k and 10_by_size share one
 * source with the type as a parameter (staying.cuh, sharing.cuh, by_size.cuh). A half has three
 * more significant bits than a bfloat16 and ends at 65504. Larger results are infinite, as in
 * cuBLAS.
 *
 * Predicted: bf16's times. Measured on an H200: 4096 each 176 microseconds (780 TFLOP/s; bf16 170),
 * 1.02 of cuBLAS; 1024 each 8.6, 1.00.
 *
 * On wgmma it needs compute capability 9.0 and rows of multiples of 16 bytes. Otherwise it is
 * 11_parts, from 8.0 on. */
#include "common/by_size.cuh"
#include "common/sharing.cuh"
#include "common/staying.cuh"

extern "C" cudaError_t wbk_gemm_by_size_fp16(const __half *A, const __half *B, __half *C, int m,
                                             int n, int k, float alpha, float beta,
                                             cudaStream_t stream) {
    static const rungs<__half> RUNGS = {staying::multiply_any_width<__half>,
                                        sharing::multiply<__half>,
                                        small_tiles::multiply<__half>,
                                        wbk_gemm_wgmma_parts_fp16,
                                        wbk_gemm_direct_fp16,
                                        wbk_gemm_parts_fp16,
                                        wbk_gemm_shallow_fp16,
                                        wbk_gemm_wgmma_parts_loose_fp16};
    return multiply_by_size(RUNGS, A, B, C, m, n, k, alpha, beta, stream);
}
