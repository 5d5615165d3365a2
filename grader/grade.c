/* grade.c: one submission from source to points. */
#include "grader/grade.h"
#include "grader/score.h"
#include "runtime/sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGE = 4000, MAX_PRINTED = 2000 };

char *gr_work_path(const gr_work *work, const char *format, size_t number) {
    char name[64];
    snprintf(name, sizeof name, format, number); /* formats of this folder's own */
    return wb_format("%s/%s", work->folder, name);
}

bool gr_work_fail(gr_work *work, bool machine, const char *format, ...) {
    if (work->message)
        return false;
    char text[8000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    work->message = strdup(text);
    work->machine_failed = machine;
    return false;
}

bool gr_work_stopped(gr_work *work) {
    if (!work->stop || !*work->stop)
        return false;
    gr_work_fail(work, true, "interrupted");
    return true;
}

bool gr_task_fail(gr_task *task, const char *format, ...) {
    if (task->text)
        return false;
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    task->text = strdup(text);
    return false;
}

/* A task for each case of each test, and one for performance, the last. */
static bool make_tasks(gr_work *w, uint64_t seed, wb_error *err) {
    const gr_lab *lab = w->lab;
    bool gpu = w->device->kind == WB_DEVICE_GPU;
    size_t n = 1;
    for (size_t i = 0; i < lab->n_tests; i++)
        n += lab->tests[i].n_cases;
    w->tasks = calloc(n, sizeof *w->tasks);
    if (!w->tasks)
        return wb_fail(err, 1, "out of memory");
    for (size_t i = 0; i < lab->n_tests; i++)
        for (size_t k = 0; k < lab->tests[i].n_cases; k++) {
            gr_task *task = &w->tasks[w->n_tasks++];
            task->races = lab->tests[i].races;
            task->repeat = lab->tests[i].repeat;
            if (!gr_job_make(lab, &lab->tests[i].cases[k], seed, (uint32_t)w->n_tasks, &task->job,
                             err))
                return false;
        }
    gr_task *last = &w->tasks[w->n_tasks++];
    last->count = !gpu;
    last->timed = gpu;
    return gr_job_make(lab, gpu ? &lab->gpu.at : &lab->soft.at, seed, (uint32_t)w->n_tasks,
                       &last->job, err);
}

/* A formula of the lab for a job's sizes. */
static double formula(const char *text, const gr_job *job) {
    gr_vars vars = {.n = 0};
    int64_t value = 0;
    for (int i = 0; i < job->n_args; i++)
        if (job->args[i].role == GR_SIZE) {
            vars.names[vars.n] = job->args[i].name;
            vars.values[vars.n++] = job->args[i].count;
        }
    gr_expr(text, &vars, &value, NULL);
    return (double)value;
}

/* ---- points --------------------------------------------------------------------------------- */

static const char *reason_of(const gr_work *w, const gr_task *task) {
    return task->text ? task->text : w->message ? "not run" : "failed";
}

/* Nothing of it ran, and the submission's message says why: not to be said again for each test. */
static bool told_above(const gr_work *w, const gr_task *tasks, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (tasks[k].passed || tasks[k].text)
            return false;
    return w->message != NULL;
}

/* Why the failed cases did; one that failed as the one before it did is told with it. */
static char *reasons_of(const gr_work *w, const gr_task *tasks, size_t n) {
    wb_buf why = {0};
    const char *last = NULL;
    if (told_above(w, tasks, n))
        return strdup("");
    for (size_t k = 0; k < n; k++) {
        char sizes[200];
        if (tasks[k].passed)
            continue;
        const char *reason = reason_of(w, &tasks[k]);
        bool same = last && strcmp(last, reason) == 0;
        if (last && !same)
            wb_buf_printf(&why, ": %s\n", last);
        wb_buf_printf(&why, "%s%s", same ? "; " : "",
                      gr_job_describe(&tasks[k].job, sizes, sizeof sizes));
        last = reason;
    }
    if (last)
        wb_buf_printf(&why, ": %s", last);
    return wb_buf_steal(&why);
}

/* The test, when it is another one, that found a race or a read of what nobody had written, as a
 * missing barrier makes them; NULL: none did. */
static const char *cause_found(const gr_work *w, const gr_test *but) {
    size_t at = 0;
    for (size_t i = 0; i < w->lab->n_tests; at += w->lab->tests[i].n_cases, i++)
        for (size_t k = 0; &w->lab->tests[i] != but && k < w->lab->tests[i].n_cases; k++) {
            const char *text = w->tasks[at + k].text;
            if (text && (strncmp(text, "race at ", 8) == 0 ||
                         strncmp(text, "uninitialised read ", 19) == 0))
                return w->lab->tests[i].name;
        }
    return NULL;
}

/* A test's points are shared by its cases; every failed one is told, and of wrong results that
 * there is a race, which may be why. */
static void score_test(gr_work *w, const gr_test *test, const gr_task *tasks, gr_report *r) {
    size_t passed = 0, wrong = 0;
    for (size_t k = 0; k < test->n_cases; k++) {
        passed += tasks[k].passed;
        wrong += tasks[k].ran && !tasks[k].passed;
    }
    char *why = reasons_of(w, tasks, test->n_cases);
    const char *cause = wrong ? cause_found(w, test) : NULL;
    if (cause && why) {
        char *more = wb_format("%s\nThe test \"%s\" names a cause: mend that first.", why, cause);
        free(why);
        why = more;
    }
    gr_report_add(r, test->name, test->about, test->points * (double)passed / (double)test->n_cases,
                  test->points, why, test->hidden, false);
}

static json_t *measured_counts(const gr_counts *c, double work, double minimum_bytes) {
    json_t *measured = json_object();
    for (int m = 0; m < GR_SPEED; m++)
        json_object_set_new(measured, gr_measure_names[m],
                            json_real(gr_measure_value((gr_measure)m, c, work, minimum_bytes)));
    return measured;
}

/* What holds the points of performance back, whatever was counted: part, and why (text). */
typedef struct held {
    double part;
    char *why;
} held;

/* A criterion's own reason, and what holds all of them back: in full with the first one. */
static char *with_reason(char *own, const held *h, bool first) {
    if (h->part >= 1)
        return own;
    char *all = first ? wb_format("%s%s%s", own, *own ? "\n" : "", h->why)
                      : wb_format("%s%sThis counts %.3g %%, as said above.", own, *own ? "\n" : "",
                                  100 * h->part);
    free(own);
    return all;
}

static void score_criterion(const gr_work *w, const gr_criterion *criterion, const gr_task *task,
                            gr_report *r, double work, double minimum_bytes, const held *h,
                            bool first) {
    double value, fraction = 0;
    bool rejected = false;
    char *why;
    if (told_above(w, task, 1)) {
        why = strdup("");
    } else if (!task->passed) {
        char sizes[200];
        why = first ? wb_format("Performance counts for right results only. %s: %s",
                                gr_job_describe(&task->job, sizes, sizeof sizes),
                                task->text ? task->text : "not run")
                    : strdup("Performance counts for right results only.");
    } else if (criterion->measure == GR_SPEED) {
        why = gr_explain_speed(criterion, task->time, minimum_bytes, &value, &rejected);
        fraction = rejected ? 0 : gr_fraction(criterion, value);
    } else {
        gr_counts counts = gr_counts_of(task->report);
        value = gr_measure_value(criterion->measure, &counts, work, minimum_bytes);
        why = with_reason(gr_explain(criterion, value, task->report), h, first);
        fraction = gr_fraction(criterion, value) * h->part;
    }
    gr_report_add(r, criterion->name, criterion->advice, criterion->points * fraction,
                  criterion->points, why, false, true);
}

static void score(gr_work *w, gr_report *r) {
    const gr_lab *lab = w->lab;
    size_t at = 0;
    for (size_t i = 0; i < lab->n_tests; at += lab->tests[i].n_cases, i++)
        score_test(w, &lab->tests[i], &w->tasks[at], r);
    const gr_task *task = &w->tasks[at];
    const gr_performance *performance = r->gpu ? &lab->gpu : &lab->soft;
    double work = formula(lab->work, &task->job), least = formula(lab->minimum_bytes, &task->job);
    held h = {.part = 1, .why = NULL};
    if (task->passed && !r->gpu)
        h.part = gr_held_to(performance, task->report, work, least, &h.why);
    for (size_t i = 0; i < performance->n_criteria; i++)
        score_criterion(w, &performance->criteria[i], task, r, work, least, &h, i == 0);
    free(h.why);
    if (task->passed && json_is_object(task->time))
        r->measured = json_incref(task->time);
    else if (task->passed && json_is_object(task->report)) {
        gr_counts counts = gr_counts_of(task->report);
        r->measured = measured_counts(&counts, work, least);
    }
}

/* ---- the stages in order -------------------------------------------------------------------- */

static bool make_folder(gr_work *w) {
    wb_error err = {0};
    w->folder = wb_dir_temp("grade", &err);
    w->built = w->folder ? wb_format("%s/built", w->folder) : NULL;
    if (!w->built || !wb_dir_make(w->built, &err) || !wb_sandbox_give(w->built, &err))
        return gr_work_fail(w, true, "%s", err.text);
    return true;
}

static void run_stages(gr_work *w, const gr_options *options) {
    static const struct {
        const char *name;
        bool (*run)(gr_work *w);
    } stages[] = {{"compiling", gr_stage_compile},
                  {"planning", gr_stage_plan},
                  {"running", gr_stage_run},
                  {"checking", gr_stage_check}};
    wb_error err = {0};
    if (!make_tasks(w, options->seed, &err)) {
        gr_work_fail(w, true, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < w->n_tasks; i++)
        w->tasks[i].minimum_bytes = formula(w->lab->minimum_bytes, &w->tasks[i].job);
    bool ok = make_folder(w);
    for (size_t i = 0; ok && i < WB_COUNT(stages); i++) {
        if (options->progress)
            options->progress(options->progress_ctx, stages[i].name);
        ok = !gr_work_stopped(w) && stages[i].run(w) && !gr_work_stopped(w);
    }
}

static void free_work(gr_work *w) {
    for (size_t i = 0; i < w->n_tasks; i++) {
        free(w->tasks[i].text);
        json_decref(w->tasks[i].report);
        json_decref(w->tasks[i].time);
    }
    if (w->folder)
        wb_dir_remove(w->folder, NULL);
    free(w->tasks);
    free(w->folder);
    free(w->built);
    wb_buf_free(&w->printed);
}

bool gr_grade(const gr_lab *lab, const char *path, const gr_options *options, gr_report *r) {
    double start = wb_now();
    gr_submission submission = {.name = NULL};
    wb_error err = {0};
    gr_work w = {.lab = lab,
                 .submission = &submission,
                 .device = &options->device,
                 .limits = options->limits,
                 .sandbox = options->sandbox,
                 .stop = options->stop};
    *r = (gr_report){.submission = gr_valid_text(strdup(path), 4000),
                     .lab = strdup(lab->name),
                     .title = strdup(lab->title),
                     .gpu = options->device.kind == WB_DEVICE_GPU,
                     .sandboxed = options->sandbox,
                     .seed = options->seed};
    snprintf(r->device, sizeof r->device, "%s", options->device.name);
    r->max_score = gr_lab_max_score(lab, r->gpu);
    if (gr_submission_read(path, lab, &submission, &err)) {
        run_stages(&w, options);
        if (!w.machine_failed && w.n_tasks)
            score(&w, r);
    } else {
        gr_work_fail(&w, false, "%s", err.text);
    }
    if (w.machine_failed)
        r->status = "error";
    r->message = gr_valid_text(w.message, MAX_MESSAGE);
    r->printed = gr_valid_text(wb_buf_steal(&w.printed), MAX_PRINTED);
    r->seconds = wb_now() - start;
    gr_report_finish(r);
    bool machine = w.machine_failed;
    free_work(&w);
    gr_submission_free(&submission);
    return !machine;
}
