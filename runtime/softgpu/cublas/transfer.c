/* transfer.c: cublasSetVector() and others copy with strides between host and device. They use the
 * runtime's two-dimensional copies, which check the device's side. */
#include "runtime/softgpu/cublas/blas.h"

/* The runtime has already reported the reason of an error. */
static cublasStatus_t status_of(cudaError_t code) {
    return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

/* Copies a vector. Elements `increment` apart are a matrix of one-element rows. */
static cublasStatus_t vector(const char *function, int64_t n, int64_t element, const void *from,
                             int64_t from_step, void *to, int64_t to_step, enum cudaMemcpyKind kind,
                             cudaStream_t stream) {
    if (n < 0 || element <= 0 || from_step <= 0 || to_step <= 0)
        return blas_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                         _("%lld elements of %lld bytes, increments %lld and %lld"), (long long)n,
                         (long long)element, (long long)from_step, (long long)to_step);
    if (n == 0)
        return CUBLAS_STATUS_SUCCESS;
    return status_of(cudaMemcpy2DAsync(to, (size_t)(to_step * element), from,
                                       (size_t)(from_step * element), (size_t)element, (size_t)n,
                                       kind, stream));
}

static cublasStatus_t matrix(const char *function, int64_t rows, int64_t columns, int64_t element,
                             const void *from, int64_t from_ld, void *to, int64_t to_ld,
                             enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (rows < 0 || columns < 0 || element <= 0 || from_ld < rows || to_ld < rows || from_ld < 1 ||
        to_ld < 1)
        return blas_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                         _("%lld x %lld elements of %lld bytes, leading dimensions %lld and %lld"),
                         (long long)rows, (long long)columns, (long long)element,
                         (long long)from_ld, (long long)to_ld);
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    return status_of(cudaMemcpy2DAsync(to, (size_t)(to_ld * element), from,
                                       (size_t)(from_ld * element), (size_t)(rows * element),
                                       (size_t)columns, kind, stream));
}

#define TRANSFER(INT, SUFFIX, way, kind)                                                           \
    cublasStatus_t BLAS_JOIN(cublas##way##Vector, SUFFIX)(INT n, INT element, const void *from,    \
                                                          INT from_step, void *to, INT to_step) {  \
        return vector(__func__, n, element, from, from_step, to, to_step, kind, NULL);             \
    }                                                                                              \
    cublasStatus_t BLAS_JOIN(cublas##way##VectorAsync,                                             \
                             SUFFIX)(INT n, INT element, const void *from, INT from_step,          \
                                     void *to, INT to_step, cudaStream_t stream) {                 \
        return vector(__func__, n, element, from, from_step, to, to_step, kind, stream);           \
    }                                                                                              \
    cublasStatus_t BLAS_JOIN(cublas##way##Matrix, SUFFIX)(                                         \
        INT rows, INT columns, INT element, const void *from, INT from_ld, void *to, INT to_ld) {  \
        return matrix(__func__, rows, columns, element, from, from_ld, to, to_ld, kind, NULL);     \
    }                                                                                              \
    cublasStatus_t BLAS_JOIN(cublas##way##MatrixAsync,                                             \
                             SUFFIX)(INT rows, INT columns, INT element, const void *from,         \
                                     INT from_ld, void *to, INT to_ld, cudaStream_t stream) {      \
        return matrix(__func__, rows, columns, element, from, from_ld, to, to_ld, kind, stream);   \
    }
#define NO_SUFFIX
TRANSFER(int, NO_SUFFIX, Set, cudaMemcpyHostToDevice)
TRANSFER(int64_t, _64, Set, cudaMemcpyHostToDevice)
TRANSFER(int, NO_SUFFIX, Get, cudaMemcpyDeviceToHost)
TRANSFER(int64_t, _64, Get, cudaMemcpyDeviceToHost)
