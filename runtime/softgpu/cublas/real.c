/* real.c: levels 1 to 3 in float and double, with int and with int64_t sizes, from real.inc. */
#include "runtime/softgpu/cublas/blas.h"

static CBLAS_UPLO uplo_of(cublasFillMode_t uplo) {
    return uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

static CBLAS_SIDE side_of(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}

static CBLAS_DIAG diag_of(cublasDiagType_t diag) {
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

/* Anything not const is an output. */
#define X_OUTPUT(p) _Generic((p), T * : true, default : false)
#define X_VECTOR(x, n, inc) BLAS_TRY(blas_vector(__func__, #x, x, n, inc, sizeof(T), X_OUTPUT(x)))
#define X_MATRIX(a, rows, columns, ld)                                                             \
    BLAS_TRY(blas_matrix(__func__, #a, a, rows, columns, ld, sizeof(T), X_OUTPUT(a)))
#define X_SCALAR(s) BLAS_TRY(blas_scalar(__func__, handle, #s, s, sizeof(T)))
#define X_SIZES(m, n, k) BLAS_TRY(blas_sizes(__func__, m, n, k))
#define X_OPERATION(trans)                                                                         \
    BLAS_TRY(blas_operation(trans) ? CUBLAS_STATUS_SUCCESS                                         \
                                   : blas_fail(__func__, CUBLAS_STATUS_INVALID_VALUE,              \
                                               _("the operation is %d"), (int)(trans)))

#define T float
#define FN(name) cublasS##name
#define IFN(name) cublasIs##name
#define BLAS(name, ...) cblas_s##name(__VA_ARGS__)
#define INT int
#include "runtime/softgpu/cublas/real.inc"

#define T float
#define FN(name) cublasS##name##_64
#define IFN(name) cublasIs##name##_64
#define BLAS(name, ...) cblas_s##name(__VA_ARGS__)
#define INT int64_t
#include "runtime/softgpu/cublas/real.inc"

#define T double
#define FN(name) cublasD##name
#define IFN(name) cublasId##name
#define BLAS(name, ...) cblas_d##name(__VA_ARGS__)
#define INT int
#include "runtime/softgpu/cublas/real.inc"

#define T double
#define FN(name) cublasD##name##_64
#define IFN(name) cublasId##name##_64
#define BLAS(name, ...) cblas_d##name(__VA_ARGS__)
#define INT int64_t
#include "runtime/softgpu/cublas/real.inc"
