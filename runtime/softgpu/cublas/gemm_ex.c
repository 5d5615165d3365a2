/* gemm_ex.c: matrix products of mixed types. float and double are computed directly. half and
 * bfloat16 are widened to float, multiplied, and rounded once, at least as exactly as in cuBLAS for
 * the allowed compute types. */
#include "runtime/softgpu/cublas/blas.h"
#include "runtime/softgpu/machine/numbers.h"

/* ---- one product -------------------------------------------------------------------------- */

typedef struct matrix {
    const char *name;
    void *data;
    cudaDataType type;
    int64_t rows, columns, ld, stride; /* stride: elements between matrices of a batch */
} matrix;

static size_t element_size(cudaDataType type) {
    return type == CUDA_R_64F                          ? 8
           : type == CUDA_R_32F                        ? 4
           : type == CUDA_R_16F || type == CUDA_R_16BF ? 2
                                                       : 0;
}

/* Returns a dense copy in float, or NULL. */
static float *widen(const matrix *a, const uint16_t *data) {
    float *copy = malloc((size_t)(a->rows * a->columns) * sizeof *copy + 1);
    for (int64_t j = 0; copy != NULL && j < a->columns; j++) {
        for (int64_t i = 0; i < a->rows; i++) {
            uint16_t bits = data[j * a->ld + i];
            copy[j * a->rows + i] = a->type == CUDA_R_16F ? sg_h2f(bits) : sg_b2f(bits);
        }
    }
    return copy;
}

static void narrow(const matrix *c, uint16_t *data, const float *from) {
    for (int64_t j = 0; j < c->columns; j++) {
        for (int64_t i = 0; i < c->rows; i++) {
            float value = from[j * c->rows + i];
            data[j * c->ld + i] = (uint16_t)(c->type == CUDA_R_16F ? sg_f2h(value) : sg_f2b(value));
        }
    }
}

typedef struct product {
    cublasOperation_t transa, transb;
    int64_t m, n, k;
    matrix a, b, c;
    double alpha, beta;
    int64_t batch;
} product;

/* Returns k, or 0 if alpha is 0: A and B are then ignored, but OpenBLAS would multiply a NaN. */
static int depth_of(const product *p) {
    return p->alpha == 0 ? 0 : (int)p->k;
}

static void multiply_double(const product *p, double *a, double *b, double *c) {
    cblas_dgemm(CblasColMajor, blas_transpose(p->transa), blas_transpose(p->transb), (int)p->m,
                (int)p->n, depth_of(p), p->alpha, a, (int)p->a.ld, b, (int)p->b.ld, p->beta, c,
                (int)p->c.ld);
}

/* Returns the operand in float, and sets its leading dimension. The caller frees *owned. */
static const float *in_float(const matrix *a, void *data, float **owned, int *ld) {
    *owned = NULL;
    *ld = (int)a->ld;
    if (a->type == CUDA_R_32F)
        return data;
    *ld = (int)(a->rows > 0 ? a->rows : 1);
    return *owned = widen(a, data);
}

static bool multiply_float(const product *p, void *a, void *b, void *c) {
    float *owned_a, *owned_b, *owned_c;
    int lda, ldb, ldc;
    const float *fa = in_float(&p->a, a, &owned_a, &lda);
    const float *fb = in_float(&p->b, b, &owned_b, &ldb);
    float *fc = (float *)in_float(&p->c, c, &owned_c, &ldc);
    bool empty = p->k == 0; /* then A and B may be NULL */
    bool good = (fa != NULL || empty) && (fb != NULL || empty) && fc != NULL;
    if (good)
        cblas_sgemm(CblasColMajor, blas_transpose(p->transa), blas_transpose(p->transb), (int)p->m,
                    (int)p->n, depth_of(p), (float)p->alpha, fa, lda, fb, ldb, (float)p->beta, fc,
                    ldc);
    if (good && owned_c != NULL)
        narrow(&p->c, c, owned_c);
    WB_FREE(owned_a, owned_b, owned_c);
    return good;
}

static cublasStatus_t check_matrix(const char *function, const product *p, const matrix *a) {
    size_t size = element_size(a->type);
    for (int64_t i = 0; i < p->batch; i++)
        BLAS_TRY(blas_matrix(function, a->name, (char *)a->data + i * a->stride * (int64_t)size,
                             a->rows, a->columns, a->ld, size, a == &p->c));
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t multiply(const char *function, product *p) {
    BLAS_TRY(blas_sizes(function, p->m, p->n, p->k));
    if (!blas_operation(p->transa) || !blas_operation(p->transb) || p->batch < 0)
        return blas_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                         _("the operations are %d and %d, the batch has %lld matrices"),
                         (int)p->transa, (int)p->transb, (long long)p->batch);
    bool plain_a = p->transa == CUBLAS_OP_N, plain_b = p->transb == CUBLAS_OP_N;
    p->a.rows = plain_a ? p->m : p->k, p->a.columns = plain_a ? p->k : p->m;
    p->b.rows = plain_b ? p->k : p->n, p->b.columns = plain_b ? p->n : p->k;
    p->c.rows = p->m, p->c.columns = p->n;
    BLAS_TRY(check_matrix(function, p, &p->a));
    BLAS_TRY(check_matrix(function, p, &p->b));
    BLAS_TRY(check_matrix(function, p, &p->c));
    if (p->m == 0 || p->n == 0)
        return CUBLAS_STATUS_SUCCESS;
    for (int64_t i = 0; i < p->batch; i++) {
        void *a = (char *)p->a.data + i * p->a.stride * (int64_t)element_size(p->a.type);
        void *b = (char *)p->b.data + i * p->b.stride * (int64_t)element_size(p->b.type);
        void *c = (char *)p->c.data + i * p->c.stride * (int64_t)element_size(p->c.type);
        if (p->c.type == CUDA_R_64F)
            multiply_double(p, a, b, c);
        else if (!multiply_float(p, a, b, c))
            return CUBLAS_STATUS_ALLOC_FAILED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- types -------------------------------------------------------------------------------- */

/* Returns the type of alpha and beta, or -1 for an unsupported combination. */
static int scalar_type(const product *p, cublasComputeType_t compute) {
    cudaDataType a = p->a.type, b = p->b.type, c = p->c.type;
    bool narrow_c = c == CUDA_R_32F || c == CUDA_R_16F || c == CUDA_R_16BF;
    switch (compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return a == CUDA_R_64F && b == a && c == a ? CUDA_R_64F : -1;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
        return a == b && narrow_c && (a == CUDA_R_32F || a == CUDA_R_16F || a == CUDA_R_16BF)
                   ? CUDA_R_32F
                   : -1;
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return a == CUDA_R_16F && b == a && c == a ? CUDA_R_16F : -1;
    default:
        return -1;
    }
}

static double read_scalar(const void *pointer, int type) {
    if (type == CUDA_R_64F)
        return *(const double *)pointer;
    if (type == CUDA_R_32F)
        return *(const float *)pointer;
    return sg_h2f(*(const uint16_t *)pointer);
}

static cublasStatus_t gemm_ex(const char *function, cublasHandle_t handle, product *p,
                              const void *alpha, const void *beta, cublasComputeType_t compute) {
    BLAS_SCOPED blas_call call = {0};
    BLAS_TRY(blas_begin(&call, function, handle));
    int type = scalar_type(p, compute);
    if (type < 0)
        return blas_fail(function, CUBLAS_STATUS_NOT_SUPPORTED,
                         _("softgpu's cuBLAS has no product of types %d, %d into %d with compute "
                           "type %d; float, double, half and bfloat16 it has"),
                         (int)p->a.type, (int)p->b.type, (int)p->c.type, (int)compute);
    BLAS_TRY(blas_scalar(function, handle, "alpha", alpha, element_size((cudaDataType)type)));
    BLAS_TRY(blas_scalar(function, handle, "beta", beta, element_size((cudaDataType)type)));
    p->alpha = read_scalar(alpha, type);
    p->beta = read_scalar(beta, type);
    BLAS_TRY(multiply(function, p));
    return blas_end(&call);
}

#define OPERANDS(ta, la, sa, tb, lb, sb, tc, lc, sc)                                               \
    .a = {.name = "A", .data = (void *)A, .type = (ta), .ld = (la), .stride = (sa)},               \
    .b = {.name = "B", .data = (void *)B, .type = (tb), .ld = (lb), .stride = (sb)},               \
    .c = {.name = "C", .data = C, .type = (tc), .ld = (lc), .stride = (sc)}
#define SHAPE(count) .transa = transa, .transb = transb, .m = m, .n = n, .k = k, .batch = (count)

/* cublas_api.h declares these for C++ only. */
typedef uint16_t half;
#define HALF_API __attribute__((visibility("default"))) cublasStatus_t

/* ---- entry points, with int and with int64_t sizes ---------------------------------------- */

#define ENTRY_POINTS(INT, SUFFIX)                                                                  \
    cublasStatus_t BLAS_JOIN(cublasGemmEx, SUFFIX)(                                                \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
        INT k, const void *alpha, const void *A, cudaDataType type_a, INT lda, const void *B,      \
        cudaDataType type_b, INT ldb, const void *beta, void *C, cudaDataType type_c, INT ldc,     \
        cublasComputeType_t compute, cublasGemmAlgo_t algo) {                                      \
        (void)algo;                                                                                \
        product p = {SHAPE(1), OPERANDS(type_a, lda, 0, type_b, ldb, 0, type_c, ldc, 0)};          \
        return gemm_ex(__func__, handle, &p, alpha, beta, compute);                                \
    }                                                                                              \
    cublasStatus_t BLAS_JOIN(cublasGemmStridedBatchedEx, SUFFIX)(                                  \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
        INT k, const void *alpha, const void *A, cudaDataType type_a, INT lda, long long stride_a, \
        const void *B, cudaDataType type_b, INT ldb, long long stride_b, const void *beta,         \
        void *C, cudaDataType type_c, INT ldc, long long stride_c, INT batch,                      \
        cublasComputeType_t compute, cublasGemmAlgo_t algo) {                                      \
        (void)algo;                                                                                \
        product p = {SHAPE(batch), OPERANDS(type_a, lda, stride_a, type_b, ldb, stride_b, type_c,  \
                                            ldc, stride_c)};                                       \
        return gemm_ex(__func__, handle, &p, alpha, beta, compute);                                \
    }                                                                                              \
    cublasStatus_t BLAS_JOIN(cublasSgemmEx, SUFFIX)(                                               \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
        INT k, const float *alpha, const void *A, cudaDataType type_a, INT lda, const void *B,     \
        cudaDataType type_b, INT ldb, const float *beta, void *C, cudaDataType type_c, INT ldc) {  \
        product p = {SHAPE(1), OPERANDS(type_a, lda, 0, type_b, ldb, 0, type_c, ldc, 0)};          \
        return gemm_ex(__func__, handle, &p, alpha, beta, CUBLAS_COMPUTE_32F);                     \
    }                                                                                              \
    HALF_API BLAS_JOIN(cublasHgemm, SUFFIX)(                                                       \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
        INT k, const half *alpha, const half *A, INT lda, const half *B, INT ldb,                  \
        const half *beta, half *C, INT ldc) {                                                      \
        product p = {SHAPE(1),                                                                     \
                     OPERANDS(CUDA_R_16F, lda, 0, CUDA_R_16F, ldb, 0, CUDA_R_16F, ldc, 0)};        \
        return gemm_ex(__func__, handle, &p, alpha, beta, CUBLAS_COMPUTE_16F);                     \
    }                                                                                              \
    HALF_API BLAS_JOIN(cublasHgemmStridedBatched, SUFFIX)(                                         \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, INT m, INT n,   \
        INT k, const half *alpha, const half *A, INT lda, long long stride_a, const half *B,       \
        INT ldb, long long stride_b, const half *beta, half *C, INT ldc, long long stride_c,       \
        INT batch) {                                                                               \
        product p = {SHAPE(batch), OPERANDS(CUDA_R_16F, lda, stride_a, CUDA_R_16F, ldb, stride_b,  \
                                            CUDA_R_16F, ldc, stride_c)};                           \
        return gemm_ex(__func__, handle, &p, alpha, beta, CUBLAS_COMPUTE_16F);                     \
    }
#define NO_SUFFIX
ENTRY_POINTS(int, NO_SUFFIX)
ENTRY_POINTS(int64_t, _64)
