/* check.c: checks sizes, leading dimensions, increments and pointers. */
#include "runtime/softgpu/cublas/blas.h"

#include <limits.h>

bool blas_operation(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

CBLAS_TRANSPOSE blas_transpose(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

cublasStatus_t blas_sizes(const char *function, int64_t m, int64_t n, int64_t k) {
    if (m < 0 || n < 0 || k < 0)
        return blas_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                         _("a size is negative: m = %lld, n = %lld, k = %lld"), (long long)m,
                         (long long)n, (long long)k);
    if (m > INT_MAX || n > INT_MAX || k > INT_MAX)
        return blas_fail(function, CUBLAS_STATUS_NOT_SUPPORTED,
                         _("softgpu's cuBLAS takes sizes up to %d"), INT_MAX);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t range(const char *function, const char *name, const void *pointer,
                            size_t bytes, bool output) {
    char text[1000];
    if (softgpu_check_range(name, pointer, bytes, text)) {
        if (output)
            softgpu_note_written(pointer, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    return blas_fail(function, CUBLAS_STATUS_EXECUTION_FAILED, "%s", text);
}

cublasStatus_t blas_matrix(const char *function, const char *name, const void *pointer,
                           int64_t rows, int64_t columns, int64_t ld, size_t element, bool output) {
    if (ld < 1 || ld < rows)
        return blas_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                         _("the leading dimension of %s is %lld, and a column of it has %lld "
                           "elements; matrices are column-major"),
                         name, (long long)ld, (long long)rows);
    if (ld > INT_MAX)
        return blas_fail(function, CUBLAS_STATUS_NOT_SUPPORTED,
                         _("softgpu's cuBLAS takes leading dimensions up to %d"), INT_MAX);
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    return range(function, name, pointer,
                 ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) * element, output);
}

cublasStatus_t blas_vector(const char *function, const char *name, const void *pointer, int64_t n,
                           int64_t increment, size_t element, bool output) {
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (increment < -INT_MAX || increment > INT_MAX)
        return blas_fail(function, CUBLAS_STATUS_NOT_SUPPORTED,
                         _("softgpu's cuBLAS takes increments up to %d"), INT_MAX);
    return range(function, name, pointer,
                 ((size_t)(n - 1) * (size_t)llabs(increment) + 1) * element, output);
}

cublasStatus_t blas_scalar(const char *function, cublasHandle_t handle, const char *name,
                           const void *pointer, size_t element) {
    cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
    cublasGetPointerMode_v2(handle, &mode);
    if (pointer == NULL)
        return blas_fail(function, CUBLAS_STATUS_INVALID_VALUE, _("%s is NULL"), name);
    return mode == CUBLAS_POINTER_MODE_HOST ? CUBLAS_STATUS_SUCCESS
                                            : range(function, name, pointer, element, false);
}
