/* references.h: the references of the set, called like the set's own launchers
 * (libwarpbook_references.so). Not public: programs call cuBLAS and CUB themselves. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "warpbook.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The launchers' heads, for the declarations here and their definitions. */
#define WBK_REFERENCE_MATRIX(name, type)                                                           \
    cudaError_t wbk_reference_##name(const type *in, type *out, int rows, int cols,                \
                                     cudaStream_t stream)
#define WBK_REFERENCE_ARRAY(name, type)                                                            \
    cudaError_t wbk_reference_##name(const type *in, type *out, type *work, size_t n,              \
                                     cudaStream_t stream)
#define WBK_REFERENCE_GEMM(name, type, factor)                                                     \
    cudaError_t wbk_reference_##name(const type *A, const type *B, type *C, int m, int n, int k,   \
                                     factor alpha, factor beta, cudaStream_t stream)
#define WBK_REFERENCE_BATCHED(type, suffix)                                                        \
    cudaError_t wbk_reference_gemm_batched_##suffix(                                               \
        const type *A, const type *B, type *C, int m, int n, int k, float alpha, float beta,       \
        int batch, long long a, long long b, long long c, cudaStream_t stream)
#define WBK_REFERENCE_FP8(name)                                                                    \
    cudaError_t wbk_reference_##name(const wbk_fp8 *A, const wbk_fp8 *B, wbk_bfloat16 *C, int m,   \
                                     int n, int k, float alpha, float beta, const float *scale_a,  \
                                     const float *scale_b, cudaStream_t stream)

/* out = in by cudaMemcpyAsync, device to device. */
WBK_REFERENCE_MATRIX(memcpy_f32, float);
WBK_REFERENCE_MATRIX(memcpy_f64, double);

/* *out = sum. work: see WBK_REDUCE_WORK. cudaErrorInvalidValue if CUB needs more. */
WBK_REFERENCE_ARRAY(cub_f32, float);
WBK_REFERENCE_ARRAY(cub_f64, double);

/* *out = cub::DeviceReduce::Max, with CUB's result for NaN. */
WBK_REFERENCE_ARRAY(cub_maximum_f32, float);
WBK_REFERENCE_ARRAY(cub_maximum_f64, double);

/* cub::DeviceScan::InclusiveSum. work: see WBK_SCAN_WORK. */
WBK_REFERENCE_ARRAY(cub_scan_f32, float);
/* cub::DeviceHistogram::HistogramEven of 256 bins, with 4 MiB of work memory. */
cudaError_t wbk_reference_cub_histogram_u8(const unsigned char *in, int *bins, void *work, size_t n,
                                           cudaStream_t stream);

/* cuBLAS, loaded by dlopen("libcublas.so.13") at the first call. Returns cudaErrorNotSupported if
 * it is missing or refuses; wbk_reference_error() has the reason. sgeam and dgeam: out = transposed
 * in, both row-major. sgemm: row-major. dgemm: column-major, dgemm_rows: row-major. */
WBK_REFERENCE_MATRIX(sgeam, float);
WBK_REFERENCE_MATRIX(dgeam, double);
/* out = sums of rows, or of columns, by cublasSgemv with a vector of ones. */
WBK_REFERENCE_MATRIX(row_sums, float);
WBK_REFERENCE_MATRIX(column_sums, float);
WBK_REFERENCE_GEMM(sgemm, float, float);
WBK_REFERENCE_GEMM(dgemm, double, double);
WBK_REFERENCE_GEMM(dgemm_rows, double, double);

/* cublasGemmEx, on tensor cores if the device has them: bfloat16 or half in and out with sums in
 * fp32; float with TF32 allowed. Row-major. */
WBK_REFERENCE_GEMM(gemm_bf16, wbk_bfloat16, float);
WBK_REFERENCE_GEMM(gemm_fp16, wbk_half, float);
WBK_REFERENCE_GEMM(gemm_tf32, float, float);

/* cublasGemmStridedBatchedEx, with the arguments of wbk_gemm_batched_bf16. */
WBK_REFERENCE_BATCHED(wbk_bfloat16, bf16);
WBK_REFERENCE_BATCHED(wbk_half, fp16);
WBK_REFERENCE_BATCHED(float, tf32);

/* cublasLtMatmul (libcublasLt.so.13), summed in fp32 or (fast) in the tensor cores. Arguments as
 * for wbk_gemm_fp8_bf16. */
WBK_REFERENCE_FP8(gemm_fp8);
WBK_REFERENCE_FP8(gemm_fp8_fast);

/* Returns why the last cuBLAS call failed, or "". */
const char *wbk_reference_error(void);

#ifdef __cplusplus
}
#endif
