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
static _Atomic bool fault_named;
static rt_error failed[64]; /* n_failed of them */
static int n_failed, n_returned;

const char rt_a_launch[] = "a kernel launch";

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

static void note_named(cudaError_t error) {
    if (error != cudaSuccess && (int)error == fault_code)
        fault_named = true;
}

bool rt_fault_named(void) {
    return fault_named;
}

const char *rt_error_name(cudaError_t error) {
    return look_up(error, true);
}

const char *cudaGetErrorName(cudaError_t error) {
    note_named(error);
    return look_up(error, true);
}

const char *cudaGetErrorString(cudaError_t error) {
    note_named(error);
    return look_up(error, false);
}

static void fill(rt_error *e, cudaError_t code, const char *call, const char *text) {
    *e = (rt_error){.code = code, .launch = call == rt_a_launch};
    snprintf(e->call, sizeof e->call, "%s", call);
    snprintf(e->text, sizeof e->text, "%s", text);
}

/* Keeps the place that was returned an error, each place once. A program may fail in a loop, so the
 * number of backtraces is limited. Called with the lock held. */
static void note_failed(cudaError_t code, const char *call, const char *text, bool asked,
                        bool sticky) {
    enum { MOST = WB_COUNT(failed), MOST_TIMES = 4096 };
    if (!rt_calls || n_returned++ >= MOST_TIMES || n_failed == MOST)
        return;
    rt_error e;
    fill(&e, code, call, text);
    e.asked = asked;
    e.sticky = sticky;
    e.n_calls = rt_calls(e.calls, WB_COUNT(e.calls));
    int i = 0;
    while (i < n_failed && (failed[i].code != code || failed[i].asked != asked ||
                            memcmp(failed[i].calls, e.calls, sizeof e.calls) != 0))
        i++;
    n_failed += i == n_failed;
    memmove(&failed[i], &failed[i + 1], (size_t)(n_failed - 1 - i) * sizeof *failed);
    failed[n_failed - 1] = e;
}

bool rt_failed_get(int i, rt_error *out) {
    pthread_mutex_lock(&lock);
    bool there = i < n_failed;
    if (there)
        *out = failed[i];
    else
        out->code = n_failed == WB_COUNT(failed) || n_returned > 4096 ? cudaErrorUnknown : 0;
    pthread_mutex_unlock(&lock);
    return there;
}

void rt_failed_reset(void) {
    pthread_mutex_lock(&lock);
    n_failed = n_returned = 0;
    pthread_mutex_unlock(&lock);
}

/* The first unchecked error stays, because it shows where things began to go wrong. */
static void note_unchecked(cudaError_t code, const char *call, const char *text, bool sticky) {
    pthread_mutex_lock(&lock);
    if (told[RT_UNCHECKED].code == cudaSuccess)
        fill(&told[RT_UNCHECKED], code, call, text);
    note_failed(code, call, text, false, sticky);
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
    note_unchecked(code, call, text, false);
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
    note_unchecked(code, call, fault_text, true);
    return code;
}

void rt_fault_clear(void) {
    pthread_mutex_lock(&lock);
    fault_code = cudaSuccess;
    fault_text[0] = '\0';
    fault_named = false;
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
static void asked(const char *call) {
    enum { AT_MOST = 8 };
    static int said; /* guarded by lock */
    pthread_mutex_lock(&lock);
    rt_error *first = &told[RT_UNCHECKED];
    bool refused =
        first->code == cudaErrorNotSupported || first->code == cudaErrorNoKernelImageForDevice;
    if (refused && said++ < AT_MOST)
        rt_backend_tell(first->call, first->text);
    note_failed(last_error, call, "", true, false);
    if (first->code != cudaSuccess)
        told[RT_ANSWERED] = *first;
    *first = (rt_error){0};
    pthread_mutex_unlock(&lock);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    if (error != cudaSuccess)
        asked(__func__);
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    if (last_error != cudaSuccess)
        asked(__func__);
    return last_error;
}
