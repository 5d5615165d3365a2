/* blas.h: what the files of our libcublas.so.13 share. Every entry point has NVIDIA's prototype
 * from cublas_api.h, checked by the compiler; the arithmetic is OpenBLAS's, on the memory that
 * softgpu's device pointers point to. */
#ifndef SOFTGPU_CUBLAS_BLAS_H
#define SOFTGPU_CUBLAS_BLAS_H

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stdint.h>

/* ---- the handle and the start of a call (context.c) --------------------------------------- */

/* The state of a call; see BLAS_CALL. */
typedef struct blas_call {
    const char *function; /* __func__; NULL: the call did not begin */
    double start;
} blas_call;

/* CUBLAS_STATUS_SUCCESS, or why nothing may be done with this handle. */
cublasStatus_t blas_begin(blas_call *call, const char *function, cublasHandle_t handle);
/* Success, and a row of the report with the time since blas_begin. */
cublasStatus_t blas_end(const blas_call *call);
/* When a call's state goes out of scope, by whatever way: device memory is closed again. */
void blas_release(blas_call *call);
#define BLAS_SCOPED __attribute__((cleanup(blas_release)))
/* A status for the caller and a sentence for the report. */
cublasStatus_t blas_fail(const char *function, cublasStatus_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int blas_unsupported(const char *function); /* what stubs return */

#define BLAS_CALL(handle)                                                                          \
    BLAS_SCOPED blas_call call_ = {0};                                                             \
    cublasStatus_t status_ = blas_begin(&call_, __func__, (handle));                               \
    if (status_ != CUBLAS_STATUS_SUCCESS)                                                          \
    return status_
#define BLAS_END() return blas_end(&call_)

/* ---- arguments (check.c) ------------------------------------------------------------------ */

/* Each returns success or the status to return. Sizes beyond what OpenBLAS's 32-bit integers hold
 * are CUBLAS_STATUS_NOT_SUPPORTED. */
cublasStatus_t blas_sizes(const char *function, int64_t m, int64_t n, int64_t k);
/* `rows` x `columns`, column-major, in device memory. What is an `output` counts as written from
 * then on, for checks of uninitialised reads. */
cublasStatus_t blas_matrix(const char *function, const char *name, const void *pointer,
                           int64_t rows, int64_t columns, int64_t ld, size_t element, bool output);
cublasStatus_t blas_vector(const char *function, const char *name, const void *pointer, int64_t n,
                           int64_t increment, size_t element, bool output);
/* alpha, beta or a result: host or device memory, as the pointer mode says. */
cublasStatus_t blas_scalar(const char *function, cublasHandle_t handle, const char *name,
                           const void *pointer, size_t element);
bool blas_operation(cublasOperation_t operation);

#define BLAS_TRY(expression)                                                                       \
    do {                                                                                           \
        cublasStatus_t status__ = (expression);                                                    \
        if (status__ != CUBLAS_STATUS_SUCCESS)                                                     \
            return status__;                                                                       \
    } while (0)
#define BLAS_INVALID(...) return blas_fail(__func__, CUBLAS_STATUS_INVALID_VALUE, __VA_ARGS__)

#define BLAS_JOIN2(a, b) a##b
#define BLAS_JOIN(a, b) BLAS_JOIN2(a, b)

#endif
