/* references.h: the references of the set, called like the set's own launchers
 * (libwarpbook_references.so). Not public: programs call cuBLAS and CUB themselves. */
#ifndef WARPBOOK_REFERENCES_H
#define WARPBOOK_REFERENCES_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "warpbook.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = in by cudaMemcpyAsync, device to device. */
cudaError_t wbk_reference_memcpy_f32(const float *in, float *out, int rows, int cols,
                                     cudaStream_t stream);
cudaError_t wbk_reference_memcpy_f64(const double *in, double *out, int rows, int cols,
                                     cudaStream_t stream);

/* *out = sum. work: see WBK_REDUCE_WORK. cudaErrorInvalidValue if CUB needs more. */
cudaError_t wbk_reference_cub_f32(const float *in, float *out, float *work, size_t n,
                                  cudaStream_t stream);
cudaError_t wbk_reference_cub_f64(const double *in, double *out, double *work, size_t n,
                                  cudaStream_t stream);

/* *out = cub::DeviceReduce::Max, with CUB's result for NaN. */
cudaError_t wbk_reference_cub_maximum_f32(const float *in, float *out, float *work, size_t n,
                                          cudaStream_t stream);
cudaError_t wbk_reference_cub_maximum_f64(const double *in, double *out, double *work, size_t n,
                                          cudaStream_t stream);

/* cub::DeviceScan::InclusiveSum. work: see WBK_SCAN_WORK. */
cudaError_t wbk_reference_cub_scan_f32(const float *in, float *out, float *work, size_t n,
                                       cudaStream_t stream);
/* cub::DeviceHistogram::HistogramEven of 256 bins, with 4 MiB of work memory. */
cudaError_t wbk_reference_cub_histogram_u8(const unsigned char *in, int *bins, void *work, size_t n,
                                           cudaStream_t stream);

/* cuBLAS, loaded by dlopen("libcublas.so.13") at the first call. Returns cudaErrorNotSupported if
 * it is missing or refuses; wbk_reference_error() has the reason. sgeam and dgeam: out = transposed
 * in, both row-major. sgemm: row-major. dgemm: column-major. */
cudaError_t wbk_reference_sgeam(const float *in, float *out, int rows, int cols,
                                cudaStream_t stream);
cudaError_t wbk_reference_dgeam(const double *in, double *out, int rows, int cols,
                                cudaStream_t stream);
cudaError_t wbk_reference_sgemm(const float *A, const float *B, float *C, int m, int n, int k,
                                float alpha, float beta, cudaStream_t stream);
cudaError_t wbk_reference_dgemm(const double *A, const double *B, double *C, int m, int n, int k,
                                double alpha, double beta, cudaStream_t stream);

/* row-major */
cudaError_t wbk_reference_dgemm_rows(const double *A, const double *B, double *C, int m, int n,
                                     int k, double alpha, double beta, cudaStream_t stream);

/* cublasGemmEx, on tensor cores if the device has them: bfloat16 or half in and out with sums in
 * fp32; float with TF32 allowed. Row-major. */
cudaError_t wbk_reference_gemm_bf16(const wbk_bfloat16 *A, const wbk_bfloat16 *B, wbk_bfloat16 *C,
                                    int m, int n, int k, float alpha, float beta,
                                    cudaStream_t stream);
cudaError_t wbk_reference_gemm_fp16(const wbk_half *A, const wbk_half *B, wbk_half *C, int m, int n,
                                    int k, float alpha, float beta, cudaStream_t stream);
cudaError_t wbk_reference_gemm_tf32(const float *A, const float *B, float *C, int m, int n, int k,
                                    float alpha, float beta, cudaStream_t stream);

/* cublasGemmStridedBatchedEx, with the arguments of wbk_gemm_batched_bf16. */
#define WBK_REFERENCE_BATCHED(type, suffix)                                                        \
    cudaError_t wbk_reference_gemm_batched_##suffix(                                               \
        const type *A, const type *B, type *C, int m, int n, int k, float alpha, float beta,       \
        int batch, long long stride_a, long long stride_b, long long stride_c,                     \
        cudaStream_t stream)
WBK_REFERENCE_BATCHED(wbk_bfloat16, bf16);
WBK_REFERENCE_BATCHED(wbk_half, fp16);
WBK_REFERENCE_BATCHED(float, tf32);
#undef WBK_REFERENCE_BATCHED

/* cublasLtMatmul (libcublasLt.so.13), summed in fp32 or (fast) in the tensor cores. Arguments as
 * for wbk_gemm_fp8_bf16. */
cudaError_t wbk_reference_gemm_fp8(const wbk_fp8 *A, const wbk_fp8 *B, wbk_bfloat16 *C, int m,
                                   int n, int k, float alpha, float beta, const float *scale_a,
                                   const float *scale_b, cudaStream_t stream);
cudaError_t wbk_reference_gemm_fp8_fast(const wbk_fp8 *A, const wbk_fp8 *B, wbk_bfloat16 *C, int m,
                                        int n, int k, float alpha, float beta, const float *scale_a,
                                        const float *scale_b, cudaStream_t stream);

/* Returns why the last cuBLAS call failed, or "". */
const char *wbk_reference_error(void);

#ifdef __cplusplus
}
#endif
#endif
