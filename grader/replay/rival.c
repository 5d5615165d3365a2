/* rival.c: what a submission's time is compared with. */
#include "grader/replay/timing.h"
#include "grader/job/input.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The part of cuBLAS's interface used here (cublas_api.h; 32-bit sizes). */
typedef struct blas {
    int (*create)(void **handle);
    int (*set_stream)(void *handle, cudaStream_t stream);
    int (*set_math)(void *handle, int mode);
    int (*sgemm)(void *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
    int (*dgemm)(void *handle, int ta, int tb, int m, int n, int k, const double *alpha,
                 const double *a, int lda, const double *b, int ldb, const double *beta, double *c,
                 int ldc);
} blas;

enum { PEDANTIC_MATH = 2 }; /* CUBLAS_PEDANTIC_MATH: fp32 stays fp32 */

struct gr_rival {
    const char *name;
    void *from, *to, *third; /* a, b, c; or the ends of a copy */
    size_t bytes;
    blas blas;
    void *handle;
    const gr_job *job;
};

static bool open_blas(blas *b, wb_error *err) {
    void *library = dlopen("libcublas.so.13", RTLD_NOW);
    if (!library)
        return wb_fail(err, 1, "%s; install the cuBLAS of CUDA 13", dlerror());
    const struct {
        void *slot;
        const char *name;
    } calls[] = {{&b->create, "cublasCreate_v2"},
                 {&b->set_stream, "cublasSetStream_v2"},
                 {&b->set_math, "cublasSetMathMode"},
                 {&b->sgemm, "cublasSgemm_v2"},
                 {&b->dgemm, "cublasDgemm_v2"}};
    for (size_t i = 0; i < WB_COUNT(calls); i++) {
        void *symbol = dlsym(library, calls[i].name);
        if (!symbol)
            return wb_fail(err, 1, "libcublas.so.13 lacks %s", calls[i].name);
        memcpy(calls[i].slot, &symbol, sizeof symbol);
    }
    return true;
}

/* Device memory with the content of an argument of a run no submission sees. */
static bool load_array(const gr_cuda *cuda, const gr_job *job, const char *name, void **device,
                       wb_error *err) {
    enum { RUN = 0x40000000 };
    const gr_job_arg *arg = gr_job_find(job, name);
    size_t bytes = gr_job_arg_bytes(arg);
    void *host = malloc(bytes + 1);
    bool ok = (host || wb_fail(err, 1, "out of memory")) &&
              gr_cuda_ok(cuda, cuda->cudaMalloc(device, bytes), "no device memory", err);
    if (ok) {
        gr_input_fill(job, (int)(arg - job->args), RUN, host);
        ok = gr_cuda_ok(cuda, cuda->cudaMemcpy(*device, host, bytes, cudaMemcpyHostToDevice),
                        "the reference's inputs can't be copied", err);
    }
    free(host);
    return ok;
}

static bool make_gemm(const gr_cuda *cuda, gr_rival *r, wb_error *err) {
    r->name = r->job->element == GR_DOUBLE ? "cublasDgemm" : "cublasSgemm";
    if (!open_blas(&r->blas, err) || !load_array(cuda, r->job, "a", &r->from, err) ||
        !load_array(cuda, r->job, "b", &r->to, err) ||
        !load_array(cuda, r->job, "c", &r->third, err))
        return false;
    if (r->blas.create(&r->handle) != 0 || r->blas.set_stream(r->handle, cuda->stream) != 0 ||
        r->blas.set_math(r->handle, PEDANTIC_MATH) != 0)
        return wb_fail(err, 1, "cuBLAS can't be started");
    return true;
}

static bool make_copy(const gr_cuda *cuda, gr_rival *r, double minimum_bytes, wb_error *err) {
    r->name = "cudaMemcpyAsync";
    /* whole 256 bytes: one byte over makes the driver copy 16 MB in 15.5 us in place of 10.8 */
    r->bytes = ((size_t)(minimum_bytes / 2) / 256 + 1) * 256;
    return gr_cuda_ok(cuda, cuda->cudaMalloc(&r->from, r->bytes), "no device memory", err) &&
           gr_cuda_ok(cuda, cuda->cudaMalloc(&r->to, r->bytes), "no device memory", err) &&
           gr_cuda_ok(cuda, cuda->cudaMemset(r->from, 1, r->bytes), "no device memory", err);
}

gr_rival *gr_rival_make(const gr_cuda *cuda, const gr_job *job, double minimum_bytes,
                        wb_error *err) {
    gr_rival *r = calloc(1, sizeof *r);
    if (!r) {
        wb_fail(err, 1, "out of memory");
        return NULL;
    }
    r->job = job;
    bool gemm = strcmp(job->reference, "gemm") == 0;
    bool ok = gemm ? make_gemm(cuda, r, err) : make_copy(cuda, r, minimum_bytes, err);
    if (ok && gr_cuda_ok(cuda, cuda->cudaDeviceSynchronize(), "the reference can't be set up", err))
        return r;
    gr_rival_free(cuda, r);
    return NULL;
}

const char *gr_rival_name(const gr_rival *rival) {
    return rival->name;
}

/* Row-major C = A B is column-major C' = B' A'. */
static bool start_gemm(gr_rival *r, wb_error *err) {
    const gr_job *job = r->job;
    bool row = !job->column_major;
    int m = (int)gr_job_size(job, row ? "n" : "m"), n = (int)gr_job_size(job, row ? "m" : "n");
    int k = (int)gr_job_size(job, "k"), ldb = k, status;
    void *a = row ? r->to : r->from, *b = row ? r->from : r->to;
    double alpha = gr_job_find(job, "alpha")->scalar, beta = gr_job_find(job, "beta")->scalar;
    float alpha_f = (float)alpha, beta_f = (float)beta;
    if (job->element == GR_DOUBLE)
        status = r->blas.dgemm(r->handle, 0, 0, m, n, k, &alpha, a, m, b, ldb, &beta, r->third, m);
    else
        status =
            r->blas.sgemm(r->handle, 0, 0, m, n, k, &alpha_f, a, m, b, ldb, &beta_f, r->third, m);
    return status == 0 || wb_fail(err, status, "%s failed with status %d", r->name, status);
}

bool gr_rival_start(const gr_cuda *cuda, gr_rival *r, wb_error *err) {
    if (r->handle)
        return start_gemm(r, err);
    return gr_cuda_ok(
        cuda,
        cuda->cudaMemcpyAsync(r->to, r->from, r->bytes, cudaMemcpyDeviceToDevice, cuda->stream),
        "the reference's copy failed", err);
}

void gr_rival_free(const gr_cuda *cuda, gr_rival *r) {
    if (!r)
        return;
    cuda->cudaFree(r->from);
    cuda->cudaFree(r->to);
    cuda->cudaFree(r->third);
    free(r);
}
