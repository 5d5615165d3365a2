/* error.c: names and texts of the codes, each thread's last error, sticky faults, and the error a
 * program forgot to ask for. */
#include "runtime/softgpu/cudart/rt.h"
#include "runtime/base/language.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int code;
    const char *name, *text;
} known[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "runtime/softgpu/cudart/errors.inc"
#undef ERROR
};

static _Thread_local cudaError_t last_error;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static _Atomic int fault_code;
static char fault_text[1200];
static rt_error told[RT_N_ERRORS];
static bool refused;

int (*rt_calls)(void **calls, int most);

static int by_code(const void *key, const void *entry) {
    int code = *(const int *)key, other = *(const int *)entry;
    return code < other ? -1 : code > other;
}

static const char *look_up(cudaError_t error, bool name) {
    int code = (int)error;
    size_t n = sizeof known / sizeof known[0];
    const int *found = bsearch(&code, known, n, sizeof known[0], by_code);
    if (found == NULL)
        return "unrecognized error code";
    size_t i = (size_t)((const char *)found - (const char *)known) / sizeof known[0];
    return name ? known[i].name : known[i].text;
}

const char *cudaGetErrorName(cudaError_t error) {
    return look_up(error, true);
}

const char *cudaGetErrorString(cudaError_t error) {
    return look_up(error, false);
}

/* One is enough to tell a student where things began to go wrong, so the first one stays. */
static void note_unchecked(cudaError_t code, const char *call, const char *text) {
    pthread_mutex_lock(&lock);
    rt_error *first = &told[RT_UNCHECKED];
    if (first->code == cudaSuccess) {
        first->code = code;
        snprintf(first->call, sizeof first->call, "%s", call);
        snprintf(first->text, sizeof first->text, "%s", text);
        first->n_calls = rt_calls ? rt_calls(first->calls, WB_COUNT(first->calls)) : 0;
    }
    pthread_mutex_unlock(&lock);
}

void rt_note_refused(void) {
    pthread_mutex_lock(&lock);
    refused = true;
    pthread_mutex_unlock(&lock);
}

bool rt_refused(bool reset) {
    pthread_mutex_lock(&lock);
    bool result = refused;
    refused = refused && !reset;
    pthread_mutex_unlock(&lock);
    return result;
}

cudaError_t rt_fail(cudaError_t code, const char *call, const char *format, ...) {
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, wb_tr(format), args);
    va_end(args);
    last_error = code;
    if (code == cudaErrorNoKernelImageForDevice)
        rt_note_refused();
    note_unchecked(code, call, text);
    rt_backend_note(call, code, text);
    return code;
}

cudaError_t rt_unsupported(const char *call, int feature) {
    rt_note_refused();
    if (feature == 'T')
        return rt_fail(cudaErrorNotSupported, call,
                       "textures, surfaces and CUDA arrays are not supported by %s; read global "
                       "memory instead",
                       rt_backend_name);
    return rt_fail(cudaErrorNotSupported, call, "%s is not supported by %s", call, rt_backend_name);
}

void rt_fault_raise(cudaError_t code, const char *text) {
    pthread_mutex_lock(&lock);
    if (fault_code == cudaSuccess) {
        snprintf(fault_text, sizeof fault_text, "%s", text);
        fault_code = (int)code;
    }
    pthread_mutex_unlock(&lock);
}

bool rt_faulted(void) {
    return atomic_load_explicit(&fault_code, memory_order_acquire) != cudaSuccess;
}

cudaError_t rt_sticky(const char *call) {
    cudaError_t code = (cudaError_t)atomic_load_explicit(&fault_code, memory_order_acquire);
    if (code == cudaSuccess)
        return cudaSuccess;
    last_error = code;
    note_unchecked(code, call, fault_text);
    return code;
}

void rt_fault_clear(void) {
    pthread_mutex_lock(&lock);
    fault_code = cudaSuccess;
    fault_text[0] = '\0';
    memset(told, 0, sizeof told);
    refused = false;
    pthread_mutex_unlock(&lock);
    last_error = cudaSuccess;
}

bool rt_error_get(rt_error_kind kind, rt_error *out, bool reset) {
    pthread_mutex_lock(&lock);
    *out = told[kind];
    if (reset)
        told[kind] = (rt_error){0};
    pthread_mutex_unlock(&lock);
    return out->code != cudaSuccess;
}

/* Asking counts as checking, whether the answer is cleared (Get) or not (Peek). What comes of it is
 * most often "operation not supported" or "no kernel image is available" on the screen, so what
 * that was is said here. */
static void asked(void) {
    enum { AT_MOST = 8 };
    static int said; /* guarded by lock */
    pthread_mutex_lock(&lock);
    rt_error *first = &told[RT_UNCHECKED];
    bool refused =
        first->code == cudaErrorNotSupported || first->code == cudaErrorNoKernelImageForDevice;
    if (refused && said++ < AT_MOST)
        rt_backend_tell(first->call, first->text);
    if (first->code != cudaSuccess)
        told[RT_ANSWERED] = *first;
    *first = (rt_error){0};
    pthread_mutex_unlock(&lock);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    if (error != cudaSuccess)
        asked();
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    if (last_error != cudaSuccess)
        asked();
    return last_error;
}
