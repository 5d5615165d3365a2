/* blas.h: shared by the files of our libcublas.so.13. Every entry point has NVIDIA's prototype from
 * cublas_api.h, which the compiler checks. OpenBLAS computes in the memory of softgpu's device
 * pointers. */
#pragma once

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include <cblas.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/cudart/soft/extension.h"

#undef _ /* texts are looked up by libcudart.so.13, which knows the language */
#define _(text) softgpu_tr(text)

/* ---- the handle and the start of a call (context.c) --------------------------------------- */

/* The state of a call (BLAS_CALL). */
typedef struct blas_call {
    const char *function; /* __func__; NULL: the call did not begin */
    double start;
} blas_call;

/* Returns CUBLAS_STATUS_SUCCESS, or the error of this handle. */
cublasStatus_t blas_begin(blas_call *call, const char *function, cublasHandle_t handle);
/* Returns success, and adds a row with the time since blas_begin() to the report. */
cublasStatus_t blas_end(const blas_call *call);
/* Closes device memory when a call's state goes out of scope. */
void blas_release(blas_call *call);
#define BLAS_SCOPED __attribute__((cleanup(blas_release)))
/* Returns a status for the caller, and reports a message. */
cublasStatus_t blas_fail(const char *function, cublasStatus_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int blas_unsupported(const char *function); /* for stubs */

#define BLAS_CALL(handle)                                                                          \
    BLAS_SCOPED blas_call call_ = {0};                                                             \
    BLAS_TRY(blas_begin(&call_, __func__, (handle)))
#define BLAS_END() return blas_end(&call_)

/* ---- arguments (check.c) ------------------------------------------------------------------ */

/* Each returns success or the error's status. Sizes beyond OpenBLAS's 32-bit integers are
 * CUBLAS_STATUS_NOT_SUPPORTED. */
cublasStatus_t blas_sizes(const char *function, int64_t m, int64_t n, int64_t k);
/* Checks `rows` x `columns`, column-major, in device memory. An `output` counts as written from now
 * on, for checks of uninitialised reads. */
cublasStatus_t blas_matrix(const char *function, const char *name, const void *pointer,
                           int64_t rows, int64_t columns, int64_t ld, size_t element, bool output);
cublasStatus_t blas_vector(const char *function, const char *name, const void *pointer, int64_t n,
                           int64_t increment, size_t element, bool output);
/* Checks alpha, beta or a result: in host or device memory, by the pointer mode. */
cublasStatus_t blas_scalar(const char *function, cublasHandle_t handle, const char *name,
                           const void *pointer, size_t element);
bool blas_operation(cublasOperation_t operation);
CBLAS_TRANSPOSE blas_transpose(cublasOperation_t operation);

#define BLAS_TRY(expression)                                                                       \
    do {                                                                                           \
        cublasStatus_t status__ = (expression);                                                    \
        if (status__ != CUBLAS_STATUS_SUCCESS)                                                     \
            return status__;                                                                       \
    } while (0)
#define BLAS_INVALID(...) return blas_fail(__func__, CUBLAS_STATUS_INVALID_VALUE, __VA_ARGS__)

#define BLAS_JOIN2(a, b) a##b
#define BLAS_JOIN(a, b) BLAS_JOIN2(a, b)
