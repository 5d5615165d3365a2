/* error.c: names and texts of the codes, each thread's last error, sticky faults, and the first
 * error that the program did not check. */
#include "runtime/softgpu/cudart/rt.h"

#include <stdatomic.h>

#include "runtime/base/scoped.h"

static const struct {
    int code;
    const char *name, *text;
} known[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "runtime/softgpu/cudart/errors.inc"
#undef ERROR
};

static _Thread_local cudaError_t last_error;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static _Atomic int fault_code;
static char fault_text[1200];
static rt_error told[RT_N_ERRORS];
static rt_error refusals[RT_MAX_REFUSALS];
static size_t n_refusals;
static _Atomic bool fault_named;
static rt_error failed[64]; /* n_failed of them */
static int n_failed, n_returned;

const char rt_a_launch[] = "a kernel launch", rt_host_code[] = "host code";
_Thread_local const char *rt_launched;

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

static void fill(rt_error *e, cudaError_t code, sg_refused kind, const char *call,
                 const char *text) {
    *e = (rt_error){
        .code = code, .kind = kind, .launch = call == rt_a_launch, .host = call == rt_host_code};
    snprintf(e->call, sizeof e->call, "%s", call);
    if (e->launch && rt_launched)
        snprintf(e->kernel, sizeof e->kernel, "%s", rt_launched);
    snprintf(e->text, sizeof e->text, "%s", text);
}

/* Records the place that received an error, once for each place. A program may fail in a loop, so
 * the number of backtraces is limited. The caller holds the lock. */
static void note_failed(cudaError_t code, sg_refused kind, const char *call, const char *text,
                        bool asked, bool sticky) {
    enum { MOST = WB_COUNT(failed), MOST_TIMES = 4096 };
    if (!rt_calls || n_returned++ >= MOST_TIMES || n_failed == MOST)
        return;
    rt_error e;
    fill(&e, code, kind, call, text);
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
    WB_LOCKED(&lock);
    if (i < n_failed)
        *out = failed[i];
    else
        out->code = n_failed == WB_COUNT(failed) || n_returned > 4096 ? cudaErrorUnknown : 0;
    return i < n_failed;
}

void rt_failed_reset(void) {
    WB_LOCKED(&lock);
    n_failed = n_returned = 0;
}

/* Keeps the first unchecked error, because it shows where the failures began. */
static void note_unchecked(cudaError_t code, sg_refused kind, const char *call, const char *text,
                           bool sticky) {
    WB_LOCKED(&lock);
    if (told[RT_UNCHECKED].code == cudaSuccess)
        fill(&told[RT_UNCHECKED], code, kind, call, text);
    note_failed(code, kind, call, text, false, sticky);
}

/* Returns true if this is a new refusal. Each kind is recorded once, and one that covers several
 * functions or libraries once for each. */
static bool note_refused(sg_refused kind, const char *call, const char *text) {
    size_t i = 0;
    WB_LOCKED(&lock);
    while (i < n_refusals && (refusals[i].kind != kind || strcmp(refusals[i].text, text) != 0) &&
           (refusals[i].kind != kind || sg_refused_many(kind)))
        i++;
    bool fresh = i == n_refusals && i < RT_MAX_REFUSALS;
    if (fresh)
        fill(&refusals[n_refusals++], cudaErrorNotSupported, kind, call, text);
    return fresh;
}

bool rt_refusal_get(size_t i, rt_error *out) {
    WB_LOCKED(&lock);
    if (i < n_refusals)
        *out = refusals[i];
    return i < n_refusals;
}

void rt_refusals_clear(void) {
    WB_LOCKED(&lock);
    n_refusals = 0;
}

void rt_refusal_note(sg_refused kind, const char *name) {
    char text[1200];
    sg_refused_text(kind, rt_backend_name, name, text, sizeof text);
    if (note_refused(kind, name, text))
        rt_backend_note(name, cudaErrorNotSupported, kind, text);
}

static cudaError_t fail(cudaError_t code, sg_refused kind, const char *call, const char *text) {
    last_error = code;
    bool fresh = kind != SG_REFUSED_NONE && note_refused(kind, call, text);
    note_unchecked(code, kind, call, text, false);
    rt_backend_note(call, code, fresh ? kind : SG_REFUSED_NONE, text);
    return code;
}

cudaError_t rt_fail(cudaError_t code, const char *call, const char *format, ...) {
    char text[1200];
    WB_FORMAT_INTO(text, format);
    return fail(code, SG_REFUSED_NONE, call, text);
}

cudaError_t rt_fail_as(const char *call, const sg_error *err) {
    sg_refused kind = sg_refused_kind(err->code);
    char text[1200];
    if (err->text[0] == '\0' && kind != SG_REFUSED_NONE)
        sg_refused_text(kind, rt_backend_name, call, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", err->text);
    return fail((cudaError_t)sg_refused_plain(err->code), kind, call, text);
}

cudaError_t rt_refuse(sg_refused kind, const char *call) {
    return rt_fail_as(call, &(sg_error){.code = sg_refused_code(kind, cudaErrorNotSupported)});
}

cudaError_t rt_refuse_as(sg_refused kind, const char *call, const char *format, ...) {
    char text[1200];
    WB_FORMAT_INTO(text, format);
    return fail(cudaErrorNotSupported, kind, call, text);
}

void rt_fault_raise(cudaError_t code, const char *text) {
    WB_LOCKED(&lock);
    if (fault_code != cudaSuccess)
        return;
    snprintf(fault_text, sizeof fault_text, "%s", text);
    fault_code = (int)code;
}

bool rt_faulted(void) {
    return atomic_load_explicit(&fault_code, memory_order_acquire) != cudaSuccess;
}

cudaError_t rt_sticky(const char *call) {
    cudaError_t code = (cudaError_t)atomic_load_explicit(&fault_code, memory_order_acquire);
    if (code == cudaSuccess)
        return cudaSuccess;
    last_error = code;
    note_unchecked(code, SG_REFUSED_NONE, call, fault_text, true);
    return code;
}

void rt_fault_clear(void) {
    WB_LOCKED(&lock);
    fault_code = cudaSuccess;
    fault_text[0] = '\0';
    fault_named = false;
    memset(told, 0, sizeof told);
    last_error = cudaSuccess;
}

bool rt_error_get(rt_error_kind kind, rt_error *out, bool reset) {
    WB_LOCKED(&lock);
    *out = told[kind];
    if (reset)
        told[kind] = (rt_error){0};
    return out->code != cudaSuccess;
}

/* Querying counts as checking, whether it clears the error (Get) or not (Peek). */
static void asked(const char *call) {
    WB_LOCKED(&lock);
    note_failed(last_error, SG_REFUSED_NONE, call, "", true, false);
    if (told[RT_UNCHECKED].code != cudaSuccess)
        told[RT_ANSWERED] = told[RT_UNCHECKED];
    told[RT_UNCHECKED] = (rt_error){0};
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
