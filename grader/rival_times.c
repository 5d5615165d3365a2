/* rival_times.c: a lab's own rival runs through the stages of a submission, in a subfolder of the
 * submission's folder. A kernel of the set needs only the stage that runs it. */
#include "grader/rival_times.h"
#include "grader/score/modelled.h"
#include "runtime/base/scoped.h"
#include "runtime/sandbox/sandbox.h"

#include <libgen.h>
#include <pthread.h>

enum { COMPILE_S = 600 }; /* nvcc takes about 20 s for CUB's headers */

/* The times of a lab's rival for a lab.json and a seed. Kept until the program ends. */
typedef struct times {
    struct times *next;
    char *lab;
    uint64_t seed;
    size_t n;
    double *seconds;
} times;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static times *all_times;

/* Fails with an error of the lab, and its sizes if they matter. */
static bool fail(gr_work *w, const gr_task *task, bool sized, const char *text) {
    char words[120], sizes[200];
    gr_job_rival_words(&task->job.rival, words, sizeof words);
    gr_job_describe(&task->job, sizes, sizeof sizes);
    return gr_work_fail(w, WB_FOUND_MACHINE, _("%s, which speed is measured by%s%s: %s"), words,
                        sized ? ", at " : "", sized ? sizes : "", text);
}

/* ---- times, by seed -------------------------------------------------------------------------- */

static bool find_times(const char *lab, uint64_t seed, gr_task *tasks, size_t n) {
    pthread_mutex_lock(&lock);
    const times *t = all_times;
    while (t && (t->seed != seed || t->n != n || strcmp(t->lab, lab) != 0))
        t = t->next;
    for (size_t i = 0; t && i < n; i++)
        tasks[i].rival_s = t->seconds[i];
    pthread_mutex_unlock(&lock);
    return t != NULL;
}

static void keep_times(const char *lab, uint64_t seed, const gr_task *tasks, size_t n) {
    times *t = calloc(1, sizeof *t);
    if (t && (t->lab = strdup(lab)) && (t->seconds = calloc(n, sizeof *t->seconds))) {
        t->seed = seed;
        t->n = n;
        for (size_t i = 0; i < n; i++)
            t->seconds[i] = tasks[i].rival_s;
        pthread_mutex_lock(&lock);
        t->next = all_times;
        all_times = t;
        pthread_mutex_unlock(&lock);
    }
}

/* ---- by its own stages ----------------------------------------------------------------------- */

/* Makes tasks for the same calls of solve(), each run once and unchecked. */
static bool make_tasks(gr_work *r, const gr_task *tasks, size_t n) {
    r->tasks = calloc(n, sizeof *r->tasks);
    for (size_t i = 0; r->tasks && i < n; i++, r->n_tasks++) {
        r->tasks[i].job = tasks[i].job;
        r->tasks[i].modelled = tasks[i].modelled;
        r->tasks[i].count = tasks[i].count;
        r->tasks[i].call = tasks[i].job.rival.kind == GR_RIVAL_CALL;
    }
    return r->tasks || gr_work_fail(r, WB_FOUND_MACHINE, _("out of memory"));
}

static bool make_folder(gr_work *r, const gr_work *w) {
    wb_error err = {0};
    r->folder = gr_work_path(w, "rival", 0);
    r->built = r->folder ? wb_format("%s/built", r->folder) : NULL;
    return (r->built && wb_dir_make(r->built, &err) && wb_sandbox_give(r->built, &err)) ||
           gr_work_fail(r, WB_FOUND_MACHINE, "%s", err.text);
}

/* Its headers may be beside it in the lab's folder. */
static bool read_source(gr_submission *s, const gr_lab *lab, wb_error *err) {
    WB_SCOPED char *path = gr_lab_beside(lab, lab->rival.name);
    bool ok = path && gr_submission_read(path, lab, s, err);
    if (ok)
        s->folder = strdup(dirname(path));
    return ok;
}

static bool run_source(gr_work *r) {
    wb_error err = {0};
    gr_submission source = {.name = NULL};
    bool ok =
        read_source(&source, r->lab, &err) || gr_work_fail(r, WB_FOUND_MACHINE, "%s", err.text);
    r->submission = &source;
    ok = ok && gr_stage_compile(r) && gr_stage_plan(r) && gr_stage_run(r);
    r->submission = NULL;
    gr_submission_free(&source);
    return ok;
}

/* The runner expects a file of device code, so this writes an empty one. */
static bool run_call(gr_work *r) {
    WB_SCOPED char *code = gr_work_path(r, "device-code", 0);
    return code && wb_file_write_unsynced(code, "", 0, NULL) && gr_stage_run(r);
}

/* Computes the times from softgpu's report. */
static bool take_times(gr_work *w, const gr_work *r, gr_task *tasks, size_t n) {
    for (size_t i = 0; i < n; i++) {
        wb_error err = {0};
        char *why = NULL;
        if (!gr_modelled_seconds(r->tasks[i].report, &tasks[i].rival_s, &why, &err))
            return gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
        if (why)
            fail(w, &tasks[i], true, why);
        free(why);
        if (w->found)
            return false;
    }
    return true;
}

static bool take_files(gr_work *w, const gr_work *r, gr_task *tasks, size_t n) {
    w->rival_code = gr_work_path(r, "device-code", 0);
    for (size_t i = 0; i < n; i++)
        tasks[i].rival_plan = gr_work_path(r, "plan-%zu", i);
    return w->rival_code != NULL;
}

/* Runs the rival for the n performance tasks. */
static bool run_rival(gr_work *w, gr_task *tasks, size_t n) {
    gr_work r = {.lab = w->lab,
                 .device = w->device,
                 .limits = w->limits,
                 .sandbox = w->sandbox,
                 .lab_source = true,
                 .stop = w->stop};
    r.limits.compile_s = COMPILE_S;
    bool call = w->lab->rival.kind == GR_RIVAL_CALL;
    bool ok =
        make_folder(&r, w) && make_tasks(&r, tasks, n) && (call ? run_call(&r) : run_source(&r));
    if (!ok)
        fail(w, &tasks[0], false, r.found ? wb_field_text(r.found, "text") : _("it can't be run"));
    for (size_t i = 0; ok && i < n; i++)
        if (!r.tasks[i].ran)
            ok = fail(w, &tasks[i], true,
                      r.tasks[i].found ? wb_field_text(r.tasks[i].found, "text")
                                       : _("it was not run"));
    ok = ok && (tasks[0].modelled ? take_times : take_files)(w, &r, tasks, n);
    gr_work_free(&r);
    return ok;
}

bool gr_rival_ready(gr_work *w) {
    const gr_rival_spec *rival = &w->lab->rival;
    size_t first = 0;
    while (first < w->n_tasks && !w->tasks[first].modelled && !w->tasks[first].timed)
        first++;
    gr_task *tasks = w->tasks + first;
    size_t n = w->n_tasks - first;
    const wbk_kernel *row = n ? gr_job_rival_row(&tasks[0].job.rival) : NULL;
    bool gpu = n && tasks[0].timed;
    if (!n || rival->kind == GR_RIVAL_COPY || (row && (row->reference || gpu)))
        return true;
    uint64_t seed = tasks[0].job.seed;
    if (!gpu && find_times(w->lab->path, seed, tasks, n))
        return true;
    if (!run_rival(w, tasks, n))
        return false;
    if (!gpu)
        keep_times(w->lab->path, seed, tasks, n);
    return true;
}
