/* report.c: softgpu.h's extension of the runtime: records launches, and writes the JSON that the
 * kernel, the grader and `warpbook exec` read. */
#include "runtime/softgpu/cudart/soft/soft.h"

#include <stdatomic.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"
#include "runtime/softgpu/cudart/soft/predict.h"
#include "runtime/softgpu/cudart/soft/record.h"
#include "runtime/softgpu/machine/heap.h"
#include "runtime/softgpu/softgpu.h"

enum { MAX_LAUNCHES = 4096 };

#pragma GCC visibility push(default)
char *softgpu_report(int reset);
void softgpu_interrupt(void);
void softgpu_recover(void);
void softgpu_heap_clear(void);
#pragma GCC visibility pop

typedef struct row {
    char *symbol;
    uint32_t grid[3], block[3];
    size_t dynamic_shared;
    double seconds;
    bool counted, is_kernel;
    soft_prediction prediction;
    sg_counters counters;
    sg_line_counters *lines;
    uint32_t n_lines;
    sg_gone gone;
    json_t *record; /* or NULL */
} row;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static row *rows;
static size_t n_rows, dropped;
static bool has_fault;
static sg_fault fault;

static pid_t owner; /* a forked child does not write its parent's report */

/* ---- the record --------------------------------------------------------------------------- */

/* Returns a new row, or NULL for a dropped launch. The caller holds the lock. */
static row *new_row(void) {
    row *r = n_rows < MAX_LAUNCHES ? WB_PUSH(rows, n_rows) : NULL;
    dropped += !r;
    return r;
}

/* Copies a file name, which outlives its module. The caller holds the lock. */
static const char *keep_name(const char *name) {
    static struct name {
        struct name *next;
        char text[];
    } * names;
    if (name == NULL)
        return NULL;
    for (const struct name *n = names; n != NULL; n = n->next) {
        if (strcmp(n->text, name) == 0)
            return n->text;
    }
    size_t bytes = strlen(name) + 1;
    struct name *added = malloc(sizeof *added + bytes);
    if (added == NULL)
        return NULL;
    memcpy(added->text, name, bytes);
    added->next = names;
    names = added;
    return added->text;
}

static void write_report(bool ending);
static void tell_fault(void);

void soft_report_launch(const sg_launch *launch, const char *symbol,
                        const struct soft_prediction *prediction, json_t *record) {
    pthread_mutex_lock(&lock);
    row *r = new_row();
    if (r != NULL) {
        for (uint32_t i = 0; i < launch->n_lines; i++)
            launch->lines[i].file = keep_name(launch->lines[i].file);
        *r = (row){.symbol = strdup(symbol),
                   .dynamic_shared = launch->dynamic_shared,
                   .seconds = launch->seconds,
                   .counted = (launch->options & SG_COUNT) != 0,
                   .is_kernel = true,
                   .prediction = *prediction,
                   .counters = launch->counters,
                   .lines = launch->lines,
                   .n_lines = launch->n_lines,
                   .gone = launch->gone,
                   .record = record};
        r->gone.file = keep_name(launch->gone.file);
        for (size_t i = 0; i < prediction->n_lines; i++)
            prediction->lines[i].file = keep_name(prediction->lines[i].file);
        memcpy(r->grid, launch->grid, sizeof r->grid);
        memcpy(r->block, launch->block, sizeof r->block);
    } else {
        WB_FREE(launch->lines, prediction->lines);
        json_decref(record);
    }
    bool first_fault = launch->fault.code != 0 && !has_fault;
    if (first_fault) {
        has_fault = true;
        fault = launch->fault;
        fault.file = keep_name(fault.file);
    }
    pthread_mutex_unlock(&lock);
    if (first_fault) { /* now, because the program may abort */
        tell_fault();
        write_report(false);
    }
}

SOFTGPU_API void softgpu_note_launch(const char *name, double seconds) {
    WB_LOCKED(&lock);
    row *r = new_row();
    if (r != NULL)
        *r = (row){.symbol = strdup(name), .seconds = seconds};
}

SOFTGPU_API void softgpu_open(void) {
    soft_guard_open();
}

SOFTGPU_API void softgpu_close(void) {
    soft_guard_close();
}

SOFTGPU_API void softgpu_note_error(const char *call, int code, const char *text) {
    sg_refused kind = code == cudaErrorNotSupported ? SG_REFUSED_CUBLAS : SG_REFUSED_NONE;
    sg_error err = {.code = sg_refused_code(kind, code)};
    snprintf(err.text, sizeof err.text, "%s", text);
    rt_fail_as(call, &err);
}

SOFTGPU_API void softgpu_note_driver(const char *library, int linked) {
    rt_refusal_note(library  ? sg_refused_library(library)
                    : linked ? SG_REFUSED_DRIVER_API
                             : SG_REFUSED_STATIC_RUNTIME,
                    library ? library : "libcuda.so.1");
}

SOFTGPU_API int softgpu_sticky(const char *call) {
    return (int)rt_sticky(call);
}

/* The caller holds the lock. */
static void clear(void) {
    for (size_t i = 0; i < n_rows; i++) {
        WB_FREE(rows[i].symbol, rows[i].lines, rows[i].prediction.lines);
        json_decref(rows[i].record);
    }
    soft_record_clear();
    soft_moved_clear();
    n_rows = dropped = 0;
    has_fault = false;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *counters_json(const sg_counters *c) {
    json_t *object = json_object();
#define COUNTER(name) json_object_set_new(object, #name, json_integer((json_int_t)c->name));
#include "runtime/softgpu/cudart/soft/counters.inc"
#undef COUNTER
    return object;
}

static json_t *triple(const uint32_t v[3]) {
    return wb_json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *plain_name(const char *symbol) {
    WB_SCOPED char *text = rt_plain_name(symbol);
    return json_string(text);
}

static json_t *lines_json(const row *r) {
    json_t *lines = json_array();
    for (uint32_t i = 0; i < r->n_lines; i++)
        json_array_append_new(lines, wb_json_pack("{s:s?, s:I, s:o}", "file", r->lines[i].file,
                                                  "line", (json_int_t)r->lines[i].line, "counters",
                                                  counters_json(&r->lines[i].counters)));
    return lines;
}

static json_t *row_json(const row *r) {
    const char *symbol = r->symbol != NULL ? r->symbol : "?";
    json_t *object = wb_json_pack("{s:o, s:s, s:f}", "kernel", plain_name(symbol), "symbol", symbol,
                                  "seconds", r->seconds);
    if (r->is_kernel) {
        json_object_set_new(object, "grid", triple(r->grid));
        json_object_set_new(object, "block", triple(r->block));
        json_object_set_new(object, "dynamic_shared", json_integer((json_int_t)r->dynamic_shared));
    }
    if (r->gone.threads)
        json_object_set_new(object, "gone",
                            wb_json_pack("{s:I, s:I, s:o, s:s?, s:I, s:I}", "threads",
                                         (json_int_t)r->gone.threads, "of", (json_int_t)r->gone.of,
                                         "block", triple(r->gone.block), "file", r->gone.file,
                                         "barrier", (json_int_t)r->gone.barrier, "left",
                                         (json_int_t)r->gone.left));
    if (r->counted)
        json_object_set_new(object, "counters", counters_json(&r->counters));
    if (r->prediction.wanted)
        json_object_set_new(object, "model", soft_predict_json(&r->prediction));
    if (r->n_lines > 0)
        json_object_set_new(object, "lines", lines_json(r));
    if (r->record)
        json_object_set(object, "record", r->record);
    return object;
}

static json_t *fault_json(void) {
    char address[32];
    if (!has_fault)
        return json_null();
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)fault.address);
    return wb_json_pack(
        "{s:i, s:b, s:s, s:s?, s:s, s:s?, s:I, s:o, s:o, s:s, s:I, s:I, s:s}", "code", fault.code,
        "named", rt_fault_named(), "error", rt_error_name((cudaError_t)fault.code), "kind",
        sg_fault_kind_name(fault.kind), "kernel", fault.kernel, "file", fault.file, "line",
        (json_int_t)fault.line, "block", triple(fault.block), "thread", triple(fault.thread),
        "address", address, "access_bytes", (json_int_t)fault.access_bytes, "allocation",
        (json_int_t)fault.allocation, "text", fault.text);
}

void (*soft_report_fault)(const char *json);

static void tell_fault(void) {
    if (!soft_report_fault)
        return;
    pthread_mutex_lock(&lock);
    json_t *what = fault_json();
    pthread_mutex_unlock(&lock);
    WB_SCOPED char *text = json_dumps(what, JSON_COMPACT);
    if (text)
        soft_report_fault(text);
    json_decref(what);
}

static json_t *one_error(const rt_error *e) {
    return wb_json_pack("{s:i, s:s, s:s?, s:s, s:s, s:b, s:b, s:o}", "code", (int)e->code, "error",
                        rt_error_name(e->code), "refused", sg_refused_name(e->kind), "call",
                        e->call, "text", e->text, "launch", e->launch, "host", e->host, "kernel",
                        plain_name(e->kernel));
}

static json_t *error_json(rt_error_kind kind, bool reset) {
    rt_error e;
    return rt_error_get(kind, &e, reset) ? one_error(&e) : json_null();
}

/* Adds "failed", and "failed_more" if places are missing. */
static void add_failed(json_t *report, bool reset) {
    json_t *list = json_array();
    rt_error e;
    int n = 0;
    for (; rt_failed_get(n, &e); n++) {
        json_t *one = one_error(&e), *calls = json_array();
        for (int i = 0; i < e.n_calls; i++)
            json_array_append_new(calls, json_integer((json_int_t)(uintptr_t)e.calls[i]));
        json_object_set_new(one, "calls", calls);
        json_object_set_new(one, "asked", json_boolean(e.asked));
        json_object_set_new(one, "sticky", json_boolean(e.sticky));
        json_array_append_new(list, one);
    }
    json_object_set_new(report, "failed", list);
    json_object_set_new(report, "failed_more", json_boolean(e.code != cudaSuccess));
    if (reset)
        rt_failed_reset();
}

/* Describes memory that kernels allocated and did not free. */
static json_t *leak_json(void) {
    sg_heap_left left;
    if (!sg_heap_leaks(&left))
        return json_null();
    return wb_json_pack("{s:s, s:s, s:I, s:I, s:I}", "kernel", left.kernel, "file", left.file,
                        "line", (json_int_t)left.line, "blocks", (json_int_t)left.blocks, "bytes",
                        (json_int_t)left.bytes);
}

static json_t *refusals_json(bool reset) {
    json_t *list = json_array();
    rt_error r;
    for (size_t i = 0; rt_refusal_get(i, &r); i++)
        json_array_append_new(list, wb_json_pack("{s:s, s:s, s:s}", "kind", sg_refused_name(r.kind),
                                                 "call", r.call, "text", r.text));
    if (reset)
        rt_refusals_clear();
    return list;
}

char *softgpu_report(int reset) {
    json_t *launches = json_array();
    json_t *unchecked = error_json(RT_UNCHECKED, reset != 0);
    json_t *answered = error_json(RT_ANSWERED, reset != 0);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_rows; i++)
        json_array_append_new(launches, row_json(&rows[i]));
    json_t *report =
        wb_json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "device", "softgpu",
                     "launches", launches, "moved", soft_moved_json(), "leak", leak_json(), "fault",
                     fault_json(), "unchecked", unchecked, "answered", answered, "refused",
                     refusals_json(reset != 0), "dropped", (json_int_t)dropped);
    if (reset)
        clear();
    pthread_mutex_unlock(&lock);
    if (report != NULL && rt_calls)
        add_failed(report, reset != 0);
    char *text = report != NULL ? json_dumps(report, JSON_COMPACT) : NULL;
    json_decref(report);
    return text;
}

/* Prints new refusals. */
static void say_refusals(void) {
    static size_t said;
    rt_error r;
    WB_LOCKED(&lock);
    for (; rt_refusal_get(said, &r); said++) {
        /* without the folder: "/folder/file.cu:3: kernel ..." */
        size_t path = r.text[0] == '/' ? strcspn(r.text, ":") : 0;
        while (path > 0 && r.text[path - 1] != '/')
            path--;
        fprintf(stderr, _("warpbook: %s\n"), r.text + path);
    }
}

/* Prints new errors to stderr. `failed`: the program ends with a nonzero status, possibly because
 * of the last error that it checked. */
static void say(bool ending, bool failed) {
    static bool said_fault;
    rt_error e;
    pthread_mutex_lock(&lock);
    bool told = said_fault;
    if (has_fault && !said_fault)
        fprintf(stderr, "softgpu: %s: %s\n", rt_error_name((cudaError_t)fault.code), fault.text);
    said_fault |= has_fault;
    told |= has_fault;
    pthread_mutex_unlock(&lock);
    say_refusals();
    bool found =
        ending && !told &&
        (rt_error_get(RT_UNCHECKED, &e, false) || (failed && rt_error_get(RT_ANSWERED, &e, false)));
    if (found && e.kind == SG_REFUSED_NONE)
        fprintf(stderr, _("softgpu: %s gave %s: %s\n"), e.call, rt_error_name(e.code), e.text);
}

static int exit_status;

static void note_status(int status, void *unused) {
    (void)unused;
    exit_status = status;
}

static void write_report(bool ending) {
    const char *path = getenv("WARPBOOK_SOFTGPU_REPORT");
    if (getpid() != owner)
        return;
    if (path == NULL || path[0] == '\0') {
        if (rt_calls == NULL) /* otherwise the worker reads the report */
            say_refusals();
        return;
    }
    if (strcmp(path, "-") == 0) {
        rt_error refused;
        say(ending, exit_status != 0);
        if (ending && exit_status == 0 && rt_refusal_get(0, &refused)) {
            fflush(NULL);
            _exit(EXIT_FAILURE); /* a program without results has not succeeded */
        }
        return;
    }
    WB_SCOPED char *text = softgpu_report(0);
    FILE *file = text != NULL ? fopen(path, "we") : NULL;
    if (file != NULL) {
        fputs(text, file);
        fputc('\n', file);
        fclose(file);
    }
}

void soft_report_error(bool always) {
    enum { AT_MOST = 4 };
    static _Atomic int written;
    if (always || (atomic_load(&written) < AT_MOST && atomic_fetch_add(&written, 1) < AT_MOST))
        write_report(false);
}

__attribute__((constructor)) static void remember_owner(void) {
    owner = getpid();
    on_exit(note_status, NULL); /* module.mk keeps this library loaded */
}

__attribute__((destructor)) static void at_exit(void) {
    write_report(true);
}

void softgpu_interrupt(void) {
    sg_interrupt();
}

void softgpu_heap_clear(void) {
    sg_heap_clear();
}

void softgpu_recover(void) {
    rt_fault_clear();
    WB_LOCKED(&lock);
    has_fault = false;
}
