/* warpbook-replay: replays the plans of a submission on the device. It is trusted, reads a request
 * of `warpbook grade` on stdin and writes lines of JSON:
 *
 *   {"fatbin": FILE, "seconds": 10, "cpu_s": 120, "wall_s": 600, "memory": bytes that this process
 * may use, or 0, "jobs": [
 *     {"index": 0, "plan": FILE, "job": {...}, "count": true, "model": true,
 *      "runs": [{"run": 0, "values": 0, "watch": "nothing"|"all"|"some", "output": FILE}],
 *      "time": {"prefix": FILE, "rounds": 16, "minimum_bytes": n,
 *               "rival": {"code": FILE, "plan": FILE} or null}},
 *     {"index": 1, "rival": true, "job": {...}}]}    only the report of the job's rival, a call
 *
 *   {"index": 0, "begin": true}
 *   {"index": 0, "ok": true, "text": "", "plan_failed": false, "report": {...}, "time": {...},
 *    "cpu_s": 1.5, "wall_s": 1}
 *   {"done": true}    otherwise the process ended too early
 *
 * "count", "model" and the report concern the first run. No host code of the student runs here.
 * After a fault on a GPU the context is lost ("lost": true), so the process ends, and the caller
 * starts another for the remaining jobs. It also ends after kernels that did not end ("expired":
 * true) within "seconds", or within what the request leaves for all jobs together ("spent": true).
 * An answer says what this process has used by then. */
#include "grader/replay/litter.h"
#include "grader/replay/timing.h"
#include "runtime/json/json.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

/* Options of softgpu: bits of enum sg_option in runtime/softgpu/engine.h. */
enum { COUNT = 1, RACECHECK = 2, INITCHECK = 4, LINES = 8, TRACE = 16, SOME = 128 };
/* A run with one of these options may take SLOWER times as long. */
enum { CLOSELY = TRACE | SOME, SLOWER = 3 };

static gr_litter litter;
static wb_buf fatbin;
static gr_opponents *rivals; /* NULL: no job is timed on a GPU */

/* Our lines. Device printf writes to stdout instead, so a kernel can't print a line of ours. */
static FILE *answers;

/* The watchdog that ends kernels which never end. */
static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;
static double deadline; /* 0: none */
static bool expired, spent;
static double started, cpu_s, wall_s; /* when this process began; its limits */
static int current;

static void say(json_t *line) {
    wb_json_say(line, JSON_COMPACT, answers);
}

/* Returns the seconds of processor time of the kernels: those of this process on softgpu, where it
 * does little else, and 0 on a GPU, where it draws inputs. */
static double cpu_used(void) {
    struct timespec t;
    if (!cuda.report)
        return 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static json_t *outcome(int index, bool ok, const char *text) {
    return wb_json_pack("{s:i, s:b, s:s, s:f, s:f, s:b, s:b}", "index", index, "ok", ok, "text",
                        text, "cpu_s", cpu_used(), "wall_s", wb_now() - started, "expired",
                        expired && !ok, "spent", spent && !ok);
}

static void *watch(void *limit) {
    for (;;) {
        usleep(20000);
        pthread_mutex_lock(&clock_lock);
        spent |=
            deadline > 0 && ((cuda.report && cpu_used() > cpu_s) || wb_now() - started > wall_s);
        bool late = deadline > 0 && (spent || wb_now() > deadline);
        expired |= late;
        if (late && cuda.interrupt) {
            cuda.interrupt();
        } else if (late) {
            char text[160];
            snprintf(text, sizeof text, _("the kernels did not end within %.0f s"),
                     *(double *)limit);
            json_t *line = outcome(current, false, spent ? _("stopped.") : text);
            json_object_set_new(line, "lost", json_true());
            say(line);
            _exit(0);
        }
        pthread_mutex_unlock(&clock_lock);
    }
    return NULL;
}

static void set_deadline(double when) {
    pthread_mutex_lock(&clock_lock);
    deadline = when;
    if (when > 0)
        expired = false;
    pthread_mutex_unlock(&clock_lock);
}

/* Runs the plan once. The caller frees its memory after the next run's start, so that addresses
 * differ. */
static bool run_once(const gr_plan *plan, const gr_job *job, uint32_t run, gr_memory *memory,
                     const char *output, wb_error *err) {
    gr_module module;
    gr_program *program = NULL;
    bool ok = gr_module_load(fatbin.data, &module, err) &&
              gr_memory_make(plan, job, run, memory, err) &&
              (program = gr_program_make(&module, memory, err)) != NULL;
    if (ok && cuda.report)
        free(cuda.report(1)); /* resets the counts */
    ok = ok && gr_litter_start(&litter, err) && gr_program_start(program, err) &&
         gr_program_wait(err);
    ok = ok && gr_memory_guarded(memory, err) && gr_memory_unchanged(memory, err) &&
         gr_memory_results(memory, output, err);
    gr_memory_forget_inputs(memory);
    gr_program_free(program);
    gr_module_unload(&module);
    return ok;
}

/* The buffer that contains an address, or the nearest one. */
typedef struct nearby {
    const gr_memory *memory; /* NULL: none */
    size_t buffer;
    uint64_t from; /* offset in bytes; wraps around for an address before the buffer */
    bool inside;
} nearby;

static nearby find_buffer(const gr_memory *memories, size_t n, uint64_t address) {
    nearby best = {.memory = NULL};
    uint64_t least = 1ull << 32;
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; memories[i].plan && b < memories[i].plan->n_buffers; b++) {
            uint64_t base = (uint64_t)(uintptr_t)memories[i].base[b];
            uint64_t bytes = memories[i].plan->buffers[b].bytes, end = base + bytes;
            uint64_t off = address < base ? base - address : address < end ? 0 : address - end + 1;
            if (!base || off >= least)
                continue;
            least = off;
            best = (nearby){&memories[i], b, address - base, off == 0};
        }
    return best;
}

/* Writes "out[2145]"; beyond the end, also how many elements there are. */
static void name_element(const nearby *at, char *text, size_t size) {
    int index = at->memory->plan->buffers[at->buffer].arg;
    if (index < 0) {
        snprintf(text, size, _("memory of cudaMalloc"));
        return;
    }
    const gr_job_arg *arg = &at->memory->job->args[index];
    int64_t each = (int64_t)gr_job_element_bytes(arg), element = (int64_t)at->from / each;
    if ((int64_t)at->from < 0 && (int64_t)at->from % each)
        element--;
    if (at->inside)
        snprintf(text, size, "%s[%lld]", arg->name, (long long)element);
    else
        snprintf(text, size, _("this is %s[%lld], and %s has %lld element%s"), arg->name,
                 (long long)element, arg->name, (long long)arg->count, arg->count == 1 ? "" : "s");
}

/* Uses softgpu's error text, which says more than the error's name. softgpu knows only an
 * allocation's size; this adds the array's name. */
static void use_fault(json_t *report, const gr_memory *memories, size_t n, wb_error *err) {
    json_t *fault = json_object_get(report, "fault");
    const char *text = wb_field_string(fault, "text");
    const char *where = wb_field_string(fault, "address");
    size_t bytes = (size_t)wb_field_int(fault, "allocation");
    if (!text || expired)
        return;
    nearby near = find_buffer(memories, n, where ? strtoull(where, NULL, 16) : 0);
    int code = err->code ? err->code : 1;
    char name[120];
    if (bytes && near.memory && near.memory->plan->buffers[near.buffer].bytes == bytes) {
        name_element(&near, name, sizeof name);
        wb_fail(err, code, "%.900s (%s)", text, name);
    } else {
        wb_fail(err, code, "%.900s", text);
    }
}

/* Limits the memory of this process. Tools that it starts have their own limits. */
static void limit_memory(size_t bytes) {
    struct rlimit limit;
    if (bytes && getrlimit(RLIMIT_DATA, &limit) == 0 && bytes < limit.rlim_cur) {
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

/* Returns softgpu's options for the i-th run. */
static unsigned options_of(const json_t *request, size_t i) {
    const json_t *run = json_array_get(json_object_get(request, "runs"), i);
    const char *watch = wb_field_string(run, "watch");
    unsigned options = 0;
    if (i == 0 && wb_field_true(request, "count"))
        options |= COUNT | LINES;
    if (i == 0 && wb_field_true(request, "model"))
        options |= TRACE;
    if (watch && strcmp(watch, "all") == 0)
        options |= RACECHECK | INITCHECK;
    if (watch && strcmp(watch, "some") == 0)
        options |= RACECHECK | SOME;
    return options;
}

/* Reads softgpu's report of the last run. A race is a fault, even if the results are right. */
static bool read_report(const gr_memory *memories, size_t n, bool ok, json_t **report,
                        wb_error *err) {
    char *text = cuda.report(1);
    *report = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    cuda.heap_clear();
    if (ok && !json_is_object(json_object_get(*report, "fault")))
        return true;
    use_fault(*report, memories, n, err);
    return false;
}

/* *late: time limit in seconds of the run that did not end. */
static bool run_all(const json_t *request, const gr_plan *plan, const gr_job *job, double seconds,
                    json_t **report, double *late, wb_error *err) {
    const json_t *runs = json_object_get(request, "runs");
    size_t n = json_array_size(runs);
    gr_memory *memories = calloc(n + 1, sizeof *memories);
    gr_job *jobs = calloc(n + 1, sizeof *jobs);
    bool ok = (memories && jobs) || wb_fail(err, 1, _("out of memory"));
    for (size_t i = 0; ok && i < n; i++) {
        const json_t *entry = json_array_get(runs, i);
        jobs[i] = gr_job_with(job, (gr_values)wb_field_int(entry, "values"));
        unsigned options = options_of(request, i);
        if (cuda.set_options)
            cuda.set_options(options);
        *late = seconds * (options & CLOSELY ? SLOWER : 1);
        set_deadline(wb_now() + *late);
        ok = run_once(plan, &jobs[i], (uint32_t)wb_field_int(entry, "run"), &memories[i],
                      wb_field_text(entry, "output"), err);
        json_t *own = NULL;
        if (cuda.report)
            ok = read_report(memories, n, ok, &own, err);
        if (i == 0 || !ok) {
            json_decref(*report);
            *report = own;
        } else {
            json_decref(own);
        }
    }
    if (json_is_object(*report)) { /* bytes that no launch moved */
        json_object_set_new(*report, "copied", json_integer((json_int_t)gr_plan_copied(plan)));
        json_object_set_new(*report, "copies", gr_plan_copies(plan));
    }
    for (size_t i = 0; memories && i < n; i++)
        gr_memory_free(&memories[i]);
    WB_FREE(memories, jobs);
    return ok;
}

static bool time_all(const json_t *timing, const gr_plan *plan, const gr_job *job, json_t **times,
                     wb_error *err) {
    const json_t *rival = json_object_get(timing, "rival");
    gr_rival_files files = {wb_field_string(rival, "code"), wb_field_string(rival, "plan")};
    double minimum = wb_field_number(timing, "minimum_bytes");
    int rounds = (int)wb_field_int(timing, "rounds");
    gr_opponent opponent;
    return gr_opponents_prepare(rivals, job, minimum, &files, &opponent, err) &&
           gr_time(fatbin.data, plan, job, &opponent, rounds, wb_field_text(timing, "prefix"),
                   times, err);
}

/* Makes softgpu's report of a rival that is a library's call or a kernel of the set. */
static bool run_rival(const gr_job *job, json_t **report, wb_error *err) {
    if (!cuda.set_options)
        return wb_fail(err, 1, _("only softgpu tells a rival's time without a submission"));
    cuda.set_options(COUNT | TRACE);
    gr_rival *rival = gr_rival_make(job, 0, NULL, err);
    if (rival)
        free(cuda.report(1));
    bool ok = rival && gr_rival_start(rival, err) && gr_program_wait(err);
    ok = read_report(NULL, 0, ok, report, err) && ok;
    gr_rival_free(rival);
    return ok;
}

/* Reports kernels that did not end, and where softgpu stopped them. */
static void tell_late(const json_t *report, double seconds, wb_error *err) {
    const json_t *fault = json_object_get(report, "fault");
    const char *kernel = wb_field_string(fault, "kernel");
    const char *file = wb_field_string(fault, "file");
    int line = (int)wb_field_int(fault, "line");
    if (spent && kernel && file && line > 0)
        wb_fail(err, 1, _("stopped: %.*s was at %.300s:%d."), (int)strcspn(kernel, "("), kernel,
                file, line);
    else if (spent)
        wb_fail(err, 1, _("stopped."));
    else if (kernel && file && line > 0)
        wb_fail(err, 1,
                _("the kernels did not end within %.0f s: %.*s was at %.300s:%d then. Does a loop "
                  "there never end, or are there too many blocks?"),
                seconds, (int)strcspn(kernel, "("), kernel, file, line);
    else
        wb_fail(err, 1, _("the kernels did not end within %.0f s"), seconds);
}

/* Returns true if every further call will fail, as after a fault on a GPU. */
static bool device_is_lost(void) {
    if (cuda.recover)
        return false;
    cuda.cudaGetLastError(); /* clears the error of a single call */
    return cuda.cudaDeviceSynchronize() != cudaSuccess;
}

/* Returns false if the device is lost. */
static bool serve(const json_t *request, double seconds) {
    gr_job job;
    wb_error err = {0};
    json_t *report = NULL, *times = NULL;
    const json_t *timing = json_object_get(request, "time");
    const char *path = wb_field_string(request, "plan");
    bool call = wb_field_true(request, "rival");
    current = (int)wb_field_int(request, "index");
    say(wb_json_pack("{s:i, s:b}", "index", current, "begin", 1));
    gr_plan *plan = NULL;
    bool loaded = gr_job_load(json_object_get(request, "job"), &job, &err);
    if (loaded && path && !call)
        plan = gr_plan_read(path, &job, &err);
    double had = seconds;
    bool ok = loaded && call ? run_rival(&job, &report, &err)
                             : plan && run_all(request, plan, &job, seconds, &report, &had, &err);
    if (ok && json_is_object(timing)) {
        set_deadline(wb_now() + 60 + seconds);
        ok = time_all(timing, plan, &job, &times, &err);
    }
    set_deadline(0);
    bool late = expired && !ok, lost = late || device_is_lost();
    if (late)
        tell_late(report, had, &err);
    json_t *line = outcome(current, ok, ok ? "" : err.text);
    json_object_set_new(line, "plan_failed", json_boolean(!plan && !call));
    json_object_set_new(line, "lost", json_boolean(lost));
    json_object_set_new(line, "report", report ? report : json_null());
    json_object_set_new(line, "time", times ? times : json_null());
    say(line);
    gr_plan_free(plan);
    if (!ok && cuda.recover)
        cuda.recover();
    return !lost;
}

int main(void) {
    wb_error err = {0};
    answers = fdopen(dup(1), "w");
    if (!answers || dup2(2, 1) < 0)
        return 3;
    /* with a demangler loaded first, softgpu reports kernel names as in the source */
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    json_t *request = json_loadf(stdin, 0, NULL);
    const json_t *jobs = json_object_get(request, "jobs");
    const char *code = wb_field_string(request, "fatbin");
    double seconds = wb_field_number(request, "seconds");
    started = wb_now();
    cpu_s = wb_field_number(request, "cpu_s");
    wall_s = wb_field_number(request, "wall_s");
    if (!json_is_array(jobs) || !code) {
        fprintf(stderr, "warpbook-replay: reads a request of `warpbook grade` on stdin\n");
        return 2;
    }
    WB_JSON_EACH(job, jobs)
    if (!rivals && json_is_object(json_object_get(job, "time")))
        rivals = gr_opponents_start(); /* before the device is opened */
    if (!wb_file_read(code, 0, &fatbin, &err) || !gr_cuda_open(&err) ||
        !gr_litter_open(&litter, &err)) {
        say(wb_json_pack("{s:b, s:s}", "failed", 1, "text", err.text));
        return 3;
    }
    limit_memory((size_t)wb_field_int(request, "memory"));
    /* reuse memory of earlier runs: touching fresh pages costs more than filling them */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    pthread_t watcher;
    pthread_create(&watcher, NULL, watch, &seconds);
    WB_JSON_EACH(job, jobs)
    if (!serve(job, seconds))
        return 0;
    gr_opponents_end(rivals);
    say(wb_json_pack("{s:b}", "done", 1));
    fflush(NULL);
    _exit(0); /* skip exit handlers of the libraries */
}
