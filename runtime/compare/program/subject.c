/* subject.c: finds launchers and calls them by their shape. */
#include "runtime/compare/program/subject.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *open_once(const char *path, char *problem, size_t size) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        snprintf(problem, size, "%s", dlerror());
    return handle;
}

static void find_symbol(subject *s, void *library, const char *symbol) {
    s->function = library ? dlsym(library, symbol) : NULL;
    if (library && !s->function)
        snprintf(s->problem, sizeof s->problem, "%s", dlerror());
}

void subject_load(subject *s, wbk_type type, const char *library_folder) {
    const char *symbol = s->kernel.symbol[type];
    if (!symbol) {
        snprintf(s->problem, sizeof s->problem, "%s has no version for %s", s->kernel.name,
                 wbk_type_name(type));
        return;
    }
    bool outside = strncmp(symbol, "wbk_reference_", 14) == 0;
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", library_folder,
             outside ? "libwarpbook_references.so" : "libwarpbook_kernels.so");
    find_symbol(s, open_once(path, s->problem, sizeof s->problem), symbol);
}

void subject_load_user(subject *s, const char *path, const char *symbol) {
    s->user = true;
    find_symbol(s, open_once(path, s->problem, sizeof s->problem), symbol);
}

/* One set of calls for each type T of elements and S of alpha and beta. A trailing stream that a
 * user's function does not take stays in a register it never reads (System V ABI), so one call
 * serves both. The same goes for alpha and beta. */
#define DEFINE_CALL(T, S)                                                                          \
    static cudaError_t call_##T(const subject *s, const arguments *g, cudaStream_t stream) {       \
        void *f = s->function;                                                                     \
        const T *a = g->a, *b = g->b;                                                              \
        T *c = g->c, *work = g->work;                                                              \
        size_t n = g->size.n;                                                                      \
        int rows = (int)g->size.m, cols = (int)g->size.n, depth = (int)g->size.k;                  \
        switch (s->kernel.shape) {                                                                 \
        case WBK_UPDATE:                                                                           \
            return ((cudaError_t(*)(T *, size_t, cudaStream_t))f)(c, n, stream);                   \
        case WBK_ACCESS:                                                                           \
            return ((cudaError_t(*)(const T *, T *, size_t, int, cudaStream_t))f)(                 \
                a, c, n, s->kernel.by, stream);                                                    \
        case WBK_REDUCE:                                                                           \
        case WBK_MAXIMUM:                                                                          \
            if (!s->has_work)                                                                      \
                return ((cudaError_t(*)(const T *, T *, size_t, cudaStream_t))f)(a, c, n, stream); \
            return ((cudaError_t(*)(const T *, T *, T *, size_t, cudaStream_t))f)(a, c, work, n,   \
                                                                                  stream);         \
        case WBK_ROW_SUMS:                                                                         \
        case WBK_COLUMN_SUMS:                                                                      \
            if (s->has_work)                                                                       \
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
typedef struct bfloat16 {
    unsigned short bits;
} bfloat16;
DEFINE_CALL(float, float)
DEFINE_CALL(double, double)
DEFINE_CALL(bfloat16, float)

cudaError_t subject_call(const subject *s, const arguments *args, cudaStream_t stream) {
    cudaGetLastError(); /* what happened before is not this launch's */
    cudaError_t status = args->type == WBK_F64    ? call_double(s, args, stream)
                         : args->type == WBK_BF16 ? call_bfloat16(s, args, stream)
                                                  : call_float(s, args, stream);
    return s->user ? cudaGetLastError() : status;
}
