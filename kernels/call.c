/* call.c: calls launchers of every shape. */
#include "kernels/call.h"

#include <string.h>

const char *wbk_library_of(const char *symbol) {
    return strncmp(symbol, "wbk_reference_", 14) == 0 ? "libwarpbook_references.so"
                                                      : "libwarpbook_kernels.so";
}

/* Defines the calls for a type T of elements and S of alpha and beta. If a user's function does not
 * take the trailing stream, the stream stays in a register that it never reads (System V ABI). So
 * one call serves both. The same holds for alpha and beta. */
#define DEFINE_CALL(T, S)                                                                          \
    static cudaError_t call_##T(const wbk_kernel *kernel, bool has_work, void *f,                  \
                                const wbk_arguments *g, cudaStream_t stream) {                     \
        const T *a = g->a, *b = g->b;                                                              \
        T *c = g->c, *work = g->work;                                                              \
        size_t n = g->size.n;                                                                      \
        int rows = (int)g->size.m, cols = (int)g->size.n, depth = (int)g->size.k;                  \
        switch (kernel->shape) {                                                                   \
        case WBK_UPDATE:                                                                           \
            return ((cudaError_t(*)(T *, size_t, cudaStream_t))f)(c, n, stream);                   \
        case WBK_ACCESS:                                                                           \
            return ((cudaError_t(*)(const T *, T *, size_t, int, cudaStream_t))f)(                 \
                a, c, n, kernel->by, stream);                                                      \
        case WBK_REDUCE:                                                                           \
        case WBK_MAXIMUM:                                                                          \
        case WBK_SCAN:                                                                             \
            if (!has_work)                                                                         \
                return ((cudaError_t(*)(const T *, T *, size_t, cudaStream_t))f)(a, c, n, stream); \
            return ((cudaError_t(*)(const T *, T *, T *, size_t, cudaStream_t))f)(a, c, work, n,   \
                                                                                  stream);         \
        case WBK_ROW_SUMS:                                                                         \
        case WBK_COLUMN_SUMS:                                                                      \
        case WBK_SOFTMAX:                                                                          \
            if (has_work)                                                                          \
                return ((cudaError_t(*)(const T *, T *, T *, int, int, cudaStream_t))f)(           \
                    a, c, work, rows, cols, stream);                                               \
            return ((cudaError_t(*)(const T *, T *, int, int, cudaStream_t))f)(a, c, rows, cols,   \
                                                                               stream);            \
        case WBK_GEMM:                                                                             \
        case WBK_GEMM_COLUMN:                                                                      \
            return (                                                                               \
                (cudaError_t(*)(const T *, const T *, T *, int, int, int, S, S, cudaStream_t))f)(  \
                a, b, c, rows, cols, depth, (S)g->alpha, (S)g->beta, stream);                      \
        default:                                                                                   \
            return ((cudaError_t(*)(const T *, T *, int, int, cudaStream_t))f)(a, c, rows, cols,   \
                                                                               stream);            \
        }                                                                                          \
    }
typedef struct sixteen { /* a bfloat16 or a half */
    unsigned short bits;
} sixteen;
DEFINE_CALL(float, float)
DEFINE_CALL(double, double)
DEFINE_CALL(sixteen, float)

static cudaError_t call_histogram(bool has_work, void *f, const wbk_arguments *g,
                                  cudaStream_t stream) {
    if (has_work)
        return ((cudaError_t(*)(const unsigned char *, int *, void *, size_t, cudaStream_t))f)(
            g->a, g->c, g->work, g->size.n, stream);
    return ((cudaError_t(*)(const unsigned char *, int *, size_t, cudaStream_t))f)(
        g->a, g->c, g->size.n, stream);
}

/* Calls a launcher without scales. */
static cudaError_t call_turned(void *f, const wbk_arguments *g, cudaStream_t stream) {
    return ((cudaError_t(*)(const void *, const void *, void *, int, int, int, float, float,
                            const float *, const float *, cudaStream_t))f)(
        g->a, g->b, g->c, (int)g->size.m, (int)g->size.n, (int)g->size.k, (float)g->alpha,
        (float)g->beta, NULL, NULL, stream);
}

/* Calls a launcher with the matrices one behind the other. */
static cudaError_t call_batch(void *f, const wbk_arguments *g, cudaStream_t stream) {
    long long m = (long long)g->size.m, n = (long long)g->size.n, k = (long long)g->size.k;
    return ((cudaError_t(*)(const void *, const void *, void *, int, int, int, float, float, int,
                            long long, long long, long long, cudaStream_t))f)(
        g->a, g->b, g->c, (int)m, (int)n, (int)k, (float)g->alpha, (float)g->beta,
        (int)g->size.batch, m * k, k * n, m * n, stream);
}

cudaError_t wbk_call(const wbk_kernel *kernel, bool work, void *function, const wbk_arguments *args,
                     cudaStream_t stream) {
    if (kernel->shape == WBK_HISTOGRAM)
        return call_histogram(work, function, args, stream);
    if (kernel->shape == WBK_GEMM_TURNED)
        return call_turned(function, args, stream);
    if (kernel->shape == WBK_GEMM_BATCH)
        return call_batch(function, args, stream);
    return args->type == WBK_F64            ? call_double(kernel, work, function, args, stream)
           : wbk_type_size(args->type) == 2 ? call_sixteen(kernel, work, function, args, stream)
                                            : call_float(kernel, work, function, args, stream);
}
