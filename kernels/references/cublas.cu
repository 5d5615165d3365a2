/* cuBLAS as a reference. It is loaded at its first use, because it has half a gigabyte that most
 * runs do not need and a machine may lack. */
#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>
#include <vector>

#include "reason.h"
#include "references.h"

char reason[REASON_SIZE];

const char *wbk_reference_error(void) {
    return reason;
}

/* The calls used here, under the library's names for those of cublas_v2.h. */
static struct {
    bool tried;
    cublasHandle_t handle;
    cublasStatus_t (*create)(cublasHandle_t *);
    cublasStatus_t (*set_stream)(cublasHandle_t, cudaStream_t);
    cublasStatus_t (*set_math)(cublasHandle_t, cublasMath_t);
    decltype(&cublasSgeam) sgeam;
    decltype(&cublasDgeam) dgeam;
    decltype(&cublasSgemv_v2) sgemv;
    decltype(&cublasSgemm_v2) sgemm;
    decltype(&cublasDgemm_v2) dgemm;
    cublasStatus_t (*gemm_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                              const void *, const void *, cudaDataType, int, const void *,
                              cudaDataType, int, const void *, void *, cudaDataType, int,
                              cublasComputeType_t, cublasGemmAlgo_t);
    cublasStatus_t (*gemm_batched)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const void *, const void *, cudaDataType, int, long long,
                                   const void *, cudaDataType, int, long long, const void *, void *,
                                   cudaDataType, int, long long, int, cublasComputeType_t,
                                   cublasGemmAlgo_t);
} blas;

template <typename F> static bool find(void *library, const char *name, F *function) {
    *function = (F)dlsym(library, name);
    if (!*function)
        snprintf(reason, REASON_SIZE, "libcublas.so.13 has no %s", name);
    return *function != nullptr;
}

static bool load(void) {
    if (blas.tried)
        return blas.handle != nullptr;
    blas.tried = true;
    void *library = dlopen("libcublas.so.13", RTLD_NOW);
    if (!library) {
        snprintf(reason, REASON_SIZE, "%s", dlerror());
        return false;
    }
    if (!find(library, "cublasCreate_v2", &blas.create) ||
        !find(library, "cublasSetStream_v2", &blas.set_stream) ||
        !find(library, "cublasSetMathMode", &blas.set_math) ||
        !find(library, "cublasSgeam", &blas.sgeam) || !find(library, "cublasDgeam", &blas.dgeam) ||
        !find(library, "cublasSgemv_v2", &blas.sgemv) ||
        !find(library, "cublasSgemm_v2", &blas.sgemm) ||
        !find(library, "cublasDgemm_v2", &blas.dgemm) ||
        !find(library, "cublasGemmEx", &blas.gemm_ex) ||
        !find(library, "cublasGemmStridedBatchedEx", &blas.gemm_batched))
        return false;
    cublasStatus_t status = blas.create(&blas.handle);
    if (status != CUBLAS_STATUS_SUCCESS) {
        snprintf(reason, REASON_SIZE, "cublasCreate failed with status %d", (int)status);
        blas.handle = nullptr;
    }
    return blas.handle != nullptr;
}

static bool ready(cudaStream_t stream) {
    return load() && blas.set_stream(blas.handle, stream) == CUBLAS_STATUS_SUCCESS;
}

static cudaError_t answer(const char *call, cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS)
        return cudaSuccess;
    snprintf(reason, REASON_SIZE, "%s failed with status %d", call, (int)status);
    return status == CUBLAS_STATUS_INVALID_VALUE ? cudaErrorInvalidValue : cudaErrorNotSupported;
}

/* Returns true if there is work that cuBLAS can do. Otherwise *status is the call's result. */
static bool begin(int m, int n, int k, cudaStream_t stream, cudaError_t *status) {
    if (m < 0 || n < 0 || k < 0)
        *status = cudaErrorInvalidValue;
    else if (m == 0 || n == 0)
        *status = cudaSuccess;
    else if (!ready(stream))
        *status = cudaErrorNotSupported;
    else
        return true;
    return false;
}

/* Transposes. To cuBLAS, a row-major rows x cols matrix is a column-major cols x rows one. Its
 * column-major rows x cols result is row-major cols x rows. */
template <typename T, typename F>
static cudaError_t transpose(const char *call, const F &geam, const T *in, T *out, int rows,
                             int cols, cudaStream_t stream) {
    cudaError_t status;
    if (!begin(rows, cols, 0, stream, &status))
        return status;
    T one = 1, zero = 0;
    return answer(call, geam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, in, cols,
                             &zero, out, rows, out, rows));
}

WBK_REFERENCE_MATRIX(sgeam, float) {
    return transpose("cublasSgeam", blas.sgeam, in, out, rows, cols, stream);
}
WBK_REFERENCE_MATRIX(dgeam, double) {
    return transpose("cublasDgeam", blas.dgeam, in, out, rows, cols, stream);
}

/* Returns n ones on the device, or NULL. They are kept for the next call. */
static const float *ones(int n) {
    static float *kept;
    static int room;
    if (n > room) {
        cudaFree(kept);
        room = 0;
        std::vector<float> all((size_t)n, 1.0f);
        if (cudaMalloc(&kept, all.size() * sizeof(float)) != cudaSuccess ||
            cudaMemcpy(kept, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice) !=
                cudaSuccess) {
            snprintf(reason, REASON_SIZE, "no memory for %d ones", n);
            return nullptr;
        }
        room = n;
    }
    return kept;
}

/* Sums are a product with a vector of ones. op: OP_T: of rows, each of `terms` columns; OP_N: of
 * columns. */
static cudaError_t sums(cublasOperation_t op, const float *in, float *out, int rows, int cols,
                        cudaStream_t stream) {
    int results = op == CUBLAS_OP_T ? rows : cols, terms = op == CUBLAS_OP_T ? cols : rows;
    cudaError_t status;
    if (!begin(results, results, terms, stream, &status))
        return status;
    if (terms == 0)
        return cudaMemsetAsync(out, 0, results * sizeof(float), stream);
    const float one = 1, zero = 0, *x = ones(terms);
    if (!x)
        return cudaErrorMemoryAllocation;
    return answer("cublasSgemv",
                  blas.sgemv(blas.handle, op, cols, rows, &one, in, cols, x, 1, &zero, out, 1));
}

WBK_REFERENCE_MATRIX(row_sums, float) {
    return sums(CUBLAS_OP_T, in, out, rows, cols, stream);
}
WBK_REFERENCE_MATRIX(column_sums, float) {
    return sums(CUBLAS_OP_N, in, out, rows, cols, stream);
}

/* To cuBLAS, row-major C = A B is C' = B' A': the operands change places, and nothing is
 * transposed. Pedantic mode computes in fp32 throughout, whatever the environment allows. */
WBK_REFERENCE_GEMM(sgemm, float, float) {
    cudaError_t refusal;
    if (!begin(m, n, k, stream, &refusal))
        return refusal;
    if (blas.set_math(blas.handle, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS)
        return cudaErrorNotSupported;
    int lda = k > 0 ? k : 1;
    cublasStatus_t status = blas.sgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, B, n,
                                       A, lda, &beta, C, n);
    blas.set_math(blas.handle, CUBLAS_DEFAULT_MATH);
    return answer("cublasSgemm", status);
}

WBK_REFERENCE_GEMM(dgemm, double, double) {
    cudaError_t status;
    if (!begin(m, n, k, stream, &status))
        return status;
    int ldb = k > 0 ? k : 1;
    return answer("cublasDgemm", blas.dgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha,
                                            A, m, B, ldb, &beta, C, m));
}

WBK_REFERENCE_GEMM(dgemm_rows, double, double) {
    return wbk_reference_dgemm(B, A, C, n, m, k, alpha, beta, stream);
}

static cudaError_t gemm_ex(const void *A, const void *B, void *C, int m, int n, int k, float alpha,
                           float beta, cudaDataType_t type, cublasComputeType_t compute,
                           cudaStream_t stream) {
    cudaError_t status;
    if (!begin(m, n, k, stream, &status))
        return status;
    if (alpha == 0)
        k = 0; /* the BLAS rule, which some of its bf16 kernels break if A has a NaN */
    int lda = k > 0 ? k : 1;
    return answer("cublasGemmEx",
                  blas.gemm_ex(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, B, type, n,
                               A, type, lda, &beta, C, type, n, compute, CUBLAS_GEMM_DEFAULT));
}

WBK_REFERENCE_GEMM(gemm_bf16, wbk_bfloat16, float) {
    return gemm_ex(A, B, C, m, n, k, alpha, beta, CUDA_R_16BF, CUBLAS_COMPUTE_32F, stream);
}
WBK_REFERENCE_GEMM(gemm_fp16, wbk_half, float) {
    return gemm_ex(A, B, C, m, n, k, alpha, beta, CUDA_R_16F, CUBLAS_COMPUTE_32F, stream);
}
WBK_REFERENCE_GEMM(gemm_tf32, float, float) {
    return gemm_ex(A, B, C, m, n, k, alpha, beta, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, stream);
}

static cudaError_t batched(const void *A, const void *B, void *C, int m, int n, int k, float alpha,
                           float beta, int batch, long long a, long long b, long long c,
                           cudaDataType_t type, cublasComputeType_t compute, cudaStream_t stream) {
    if (m < 0 || n < 0 || k < 0 || batch < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0 || batch == 0)
        return cudaSuccess;
    if (!ready(stream))
        return cudaErrorNotSupported;
    if (alpha == 0)
        k = 0; /* as above */
    int lda = k > 0 ? k : 1;
    return answer("cublasGemmStridedBatchedEx",
                  blas.gemm_batched(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, B, type,
                                    n, b, A, type, lda, a, &beta, C, type, n, c, batch, compute,
                                    CUBLAS_GEMM_DEFAULT));
}

WBK_REFERENCE_BATCHED(wbk_bfloat16, bf16) {
    return batched(A, B, C, m, n, k, alpha, beta, batch, a, b, c, CUDA_R_16BF, CUBLAS_COMPUTE_32F,
                   stream);
}
WBK_REFERENCE_BATCHED(wbk_half, fp16) {
    return batched(A, B, C, m, n, k, alpha, beta, batch, a, b, c, CUDA_R_16F, CUBLAS_COMPUTE_32F,
                   stream);
}
WBK_REFERENCE_BATCHED(float, tf32) {
    return batched(A, B, C, m, n, k, alpha, beta, batch, a, b, c, CUDA_R_32F,
                   CUBLAS_COMPUTE_32F_FAST_TF32, stream);
}
