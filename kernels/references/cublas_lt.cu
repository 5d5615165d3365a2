/* cuBLASLt as a reference for fp8. It is loaded at its first use, as in cublas.cu. */
#include <cublasLt.h>
#include <dlfcn.h>
#include <stdio.h>

#include "references.h"
#include "reason.h"

/* The calls used here, under the library's names for those of cublasLt.h. */
static struct {
    bool tried;
    cublasLtHandle_t handle;
    void *workspace;
    decltype(&cublasLtCreate) create;
    decltype(&cublasLtMatmulDescCreate) new_product;
    decltype(&cublasLtMatmulDescSetAttribute) set;
    decltype(&cublasLtMatmulDescDestroy) free_product;
    decltype(&cublasLtMatrixLayoutCreate) new_matrix;
    decltype(&cublasLtMatrixLayoutDestroy) free_matrix;
    decltype(&cublasLtMatmulPreferenceCreate) new_preference;
    decltype(&cublasLtMatmulPreferenceSetAttribute) prefer;
    decltype(&cublasLtMatmulPreferenceDestroy) free_preference;
    decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
    decltype(&cublasLtMatmul) multiply;
} lt;

static const size_t WORKSPACE = 64 << 20;

template <typename F> static bool find(void *library, const char *name, F *function) {
    *function = (F)dlsym(library, name);
    if (!*function)
        snprintf(reason, REASON_SIZE, "libcublasLt.so.13 has no %s", name);
    return *function != nullptr;
}

static bool load(void) {
    if (lt.tried)
        return lt.handle != nullptr;
    lt.tried = true;
    void *library = dlopen("libcublasLt.so.13", RTLD_NOW);
    if (!library) {
        snprintf(reason, REASON_SIZE, "%s", dlerror());
        return false;
    }
    if (!find(library, "cublasLtCreate", &lt.create) ||
        !find(library, "cublasLtMatmulDescCreate", &lt.new_product) ||
        !find(library, "cublasLtMatmulDescSetAttribute", &lt.set) ||
        !find(library, "cublasLtMatmulDescDestroy", &lt.free_product) ||
        !find(library, "cublasLtMatrixLayoutCreate", &lt.new_matrix) ||
        !find(library, "cublasLtMatrixLayoutDestroy", &lt.free_matrix) ||
        !find(library, "cublasLtMatmulPreferenceCreate", &lt.new_preference) ||
        !find(library, "cublasLtMatmulPreferenceSetAttribute", &lt.prefer) ||
        !find(library, "cublasLtMatmulPreferenceDestroy", &lt.free_preference) ||
        !find(library, "cublasLtMatmulAlgoGetHeuristic", &lt.choose) ||
        !find(library, "cublasLtMatmul", &lt.multiply))
        return false;
    cublasStatus_t status = lt.create(&lt.handle);
    if (status != CUBLAS_STATUS_SUCCESS) {
        snprintf(reason, REASON_SIZE, "cublasLtCreate failed with status %d", (int)status);
        lt.handle = nullptr;
    } else if (cudaMalloc(&lt.workspace, WORKSPACE) != cudaSuccess) {
        cudaGetLastError();
        lt.workspace = nullptr; /* it chooses an algorithm without one */
    }
    return lt.handle != nullptr;
}

/* A product as the library describes it, and the algorithm that it chose. */
struct plan {
    int m, n, k;
    bool fast;
    cublasStatus_t status;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t chosen;
};

static void forget(plan *p) {
    if (p->product)
        lt.free_product(p->product);
    for (auto matrix : {p->a, p->b, p->c})
        if (matrix)
            lt.free_matrix(matrix);
    *p = {};
}

/* To the library, row-major C = A B with B by columns is C' = B' A' with a transposed first
 * operand. Both then have their rows along k, the only layout that it supports for fp8. */
static cublasStatus_t make_plan(plan *p, int m, int n, int k, bool fast) {
    forget(p);
    *p = {m, n, k, fast, CUBLAS_STATUS_INTERNAL_ERROR};
    const cublasOperation_t turned = CUBLAS_OP_T;
    const int8_t fast_sums = fast;
    size_t workspace = lt.workspace ? WORKSPACE : 0;
    cublasLtMatmulPreference_t preference = nullptr;
    int found = 0;
    if (lt.new_product(&p->product, CUBLAS_COMPUTE_32F, CUDA_R_32F) ||
        lt.new_preference(&preference) || lt.new_matrix(&p->a, CUDA_R_8F_E4M3, k, n, k) ||
        lt.new_matrix(&p->b, CUDA_R_8F_E4M3, k, m, k) || lt.new_matrix(&p->c, CUDA_R_16BF, n, m, n))
        return p->status;
    lt.set(p->product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned);
    lt.set(p->product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast_sums, sizeof fast_sums);
    lt.prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    p->status =
        lt.choose(lt.handle, p->product, p->a, p->b, p->c, p->c, preference, 1, &p->chosen, &found);
    if (p->status == CUBLAS_STATUS_SUCCESS && found == 0)
        p->status = CUBLAS_STATUS_NOT_SUPPORTED;
    lt.free_preference(preference);
    return p->status;
}

static cudaError_t multiply(const void *A, const void *B, void *C, int m, int n, int k, float alpha,
                            float beta, const float *scale_a, const float *scale_b, bool fast,
                            cudaStream_t stream) {
    static plan kept[2]; /* the last of each kind: choosing is slow */
    plan *p = &kept[fast];
    if (m < 0 || n < 0 || k < 0)
        return cudaErrorInvalidValue;
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (!load())
        return cudaErrorNotSupported;
    cublasStatus_t status = p->status;
    if (!p->product || p->m != m || p->n != n || p->k != k)
        status = make_plan(p, m, n, k, fast);
    if (status == CUBLAS_STATUS_SUCCESS) {
        lt.set(p->product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale_b, sizeof scale_b);
        lt.set(p->product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scale_a, sizeof scale_a);
        status =
            lt.multiply(lt.handle, p->product, &alpha, B, p->a, A, p->b, &beta, C, p->c, C, p->c,
                        &p->chosen.algo, lt.workspace, lt.workspace ? WORKSPACE : 0, stream);
    }
    if (status == CUBLAS_STATUS_SUCCESS)
        return cudaSuccess;
    snprintf(reason, REASON_SIZE, "cublasLtMatmul of fp8 failed with status %d", (int)status);
    return cudaErrorNotSupported;
}

WBK_REFERENCE_FP8(gemm_fp8) {
    return multiply(A, B, C, m, n, k, alpha, beta, scale_a, scale_b, false, stream);
}
WBK_REFERENCE_FP8(gemm_fp8_fast) {
    return multiply(A, B, C, m, n, k, alpha, beta, scale_a, scale_b, true, stream);
}
