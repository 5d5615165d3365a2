/* real.c: levels 1 to 3 in float and double, with int and with int64_t sizes, from real.inc. */
#include "runtime/softgpu/cublas/blas.h"

#include <cblas.h>

static CBLAS_TRANSPOSE operation_of(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

static CBLAS_UPLO uplo_of(cublasFillMode_t uplo) {
    return uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

static CBLAS_SIDE side_of(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}

static CBLAS_DIAG diag_of(cublasDiagType_t diag) {
    return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

#define T float
#define FN(name) cublasS##name
#define IFN(name) cublasIs##name
#define BLAS(name) cblas_s##name
#define INT int
#include "runtime/softgpu/cublas/real.inc"

#define T float
#define FN(name) cublasS##name##_64
#define IFN(name) cublasIs##name##_64
#define BLAS(name) cblas_s##name
#define INT int64_t
#include "runtime/softgpu/cublas/real.inc"

#define T double
#define FN(name) cublasD##name
#define IFN(name) cublasId##name
#define BLAS(name) cblas_d##name
#define INT int
#include "runtime/softgpu/cublas/real.inc"

#define T double
#define FN(name) cublasD##name##_64
#define IFN(name) cublasId##name##_64
#define BLAS(name) cblas_d##name
#define INT int64_t
#include "runtime/softgpu/cublas/real.inc"
