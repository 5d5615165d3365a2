/* grade.c: grades one submission, from source to points. */
#include "grader/grade.h"
#include "grader/job/random.h"
#include "grader/rival_times.h"
#include "grader/score/modelled.h"
#include "grader/score/points.h"
#include "runtime/base/cgroup.h"
#include "runtime/base/scoped.h"
#include "runtime/sandbox/sandbox.h"

enum { MAX_PRINTED = 2000 };

/* Makes a task for each case of each test, then one for each performance case. */
static bool make_tasks(gr_work *w, uint64_t seed, bool only_tests, wb_error *err) {
    const gr_lab *lab = w->lab;
    enum { CHOICE = 0x1000 }; /* a stream that no case has */
    bool gpu = w->device->kind == WB_DEVICE_GPU;
    const gr_performance *performance = gpu ? &lab->gpu : &lab->soft;
    size_t n = performance->n_cases, chosen = gr_random_word(seed, CHOICE, 0) % n;
    for (size_t i = 0; i < lab->n_tests; i++)
        n += lab->tests[i].n_cases;
    w->tasks = calloc(n, sizeof *w->tasks);
    if (!w->tasks)
        return wb_fail(err, 1, _("out of memory"));
    for (size_t i = 0; i < lab->n_tests; i++)
        for (size_t k = 0; k < lab->tests[i].n_cases; k++) {
            gr_task *task = &w->tasks[w->n_tasks++];
            task->races = !gpu && (lab->tests[i].races || lab->tests[i].hidden);
            task->repeat = lab->tests[i].repeat;
            if (!gr_job_make(lab, &lab->tests[i].cases[k], seed, (uint32_t)w->n_tasks, &task->job,
                             err))
                return false;
        }
    for (size_t k = 0; !only_tests && k < performance->n_cases; k++) {
        gr_task *task = &w->tasks[w->n_tasks++];
        task->timed = gpu;
        task->count = !gpu;
        task->modelled = !gpu && gr_judges_speed(performance);
        if (!gr_job_make(lab, &performance->cases[k], seed, (uint32_t)w->n_tasks, &task->job, err))
            return false;
        task->sampled = !gpu;
        /* on softgpu only one drawn case, for speed; a submission can't know which */
        task->other = (gpu || k == chosen) && gr_job_other(&task->job) != task->job.values;
    }
    return true;
}

/* ---- the stages in order -------------------------------------------------------------------- */

static bool make_folder(gr_work *w) {
    wb_error err = {0};
    w->folder = wb_dir_temp("grade", &err);
    w->built = w->folder ? wb_format("%s/built", w->folder) : NULL;
    if (!w->built || !wb_dir_make(w->built, &err) || !wb_sandbox_give(w->built, &err))
        return gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
    w->group = wb_cgroup_new();
    return true;
}

/* Adds the reason to the finding of processes that the system killed for their memory use. */
static void tell_crowded(gr_work *w) {
    for (size_t i = 0; i < (w->found ? 1 : w->n_tasks); i++) {
        json_t *found = w->found ? w->found : w->tasks[i].found;
        WB_SCOPED char *more =
            wb_format(_("%s\nIts processes had more memory together than they may."),
                      wb_field_text(found, "text"));
        json_object_set_new(found, "text", more ? wb_json_text(more, strlen(more)) : NULL);
    }
}

static void run_stages(gr_work *w, const gr_options *options) {
    static const struct {
        const char *name;
        bool (*run)(gr_work *w);
        bool on_device;
    } stages[] = {{"preparing the lab", gr_stage_library, false},
                  {"running the rival", gr_rival_ready, true},
                  {"compiling", gr_stage_compile, false},
                  {"planning", gr_stage_plan, false},
                  {"running", gr_stage_run, true},
                  {"asking the reference", gr_stage_expect, false},
                  {"checking", gr_stage_check, false}};
    wb_error err = {0};
    if (!make_tasks(w, options->seed, options->only_tests, &err)) {
        gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
        return;
    }
    size_t modelled = 0; /* they come last */
    for (size_t i = 0; i < w->n_tasks; i++) {
        w->tasks[i].minimum_bytes = gr_job_formula(&w->tasks[i].job, w->lab->minimum_bytes);
        modelled += w->tasks[i].modelled;
    }
    if (modelled && !gr_modelled_check(w->tasks + w->n_tasks - modelled, modelled, &err)) {
        gr_work_fail(w, WB_FOUND_MACHINE, "%s", err.text);
        return;
    }
    bool ok = make_folder(w);
    for (size_t i = 0; ok && i < WB_COUNT(stages); i++) {
        if (options->progress)
            options->progress(options->progress_ctx, stages[i].name);
        pthread_mutex_t *turn = stages[i].on_device ? options->turn : NULL;
        if (turn)
            pthread_mutex_lock(turn);
        ok = !gr_work_stopped(w) && stages[i].run(w) && !gr_work_stopped(w);
        if (turn)
            pthread_mutex_unlock(turn);
    }
    if (w->group && wb_cgroup_killed(w->group))
        tell_crowded(w);
}

/* ---- the report ----------------------------------------------------------------------------- */

static void begin_report(const gr_lab *lab, const char *path, const gr_options *options,
                         gr_report *r) {
    const char *shown = options->shown ? options->shown : path;
    *r = (gr_report){.submission = gr_valid_name(strdup(shown), 4000),
                     .lab = strdup(lab->name),
                     .title = strdup(lab->title),
                     .gpu = options->device.kind == WB_DEVICE_GPU,
                     .sandboxed = options->sandbox,
                     .seed = options->seed};
    snprintf(r->device, sizeof r->device, "%s", options->device.name);
    r->max_score = gr_lab_max_score(lab, r->gpu);
}

static void replace_in(json_t *findings, const char *path, const char *name) {
    json_t *finding;
    size_t i;
    json_array_foreach(findings, i, finding) {
        WB_SCOPED char *text = strdup(wb_field_text(finding, "text"));
        wb_text_replace(&text, path, name);
        json_object_set_new(finding, "text", json_string(text));
    }
}

void gr_show_as(gr_report *r, const char *path, const char *shown) {
    WB_SCOPED char *name = gr_valid_name(strdup(shown), 4000);
    if (!name)
        return;
    replace_in(r->findings, path, name);
    wb_text_replace(&r->message, path, name);
    wb_text_replace(&r->printed, path, name);
    for (size_t i = 0; i < r->n_items; i++) {
        replace_in(r->items[i].findings, path, name);
        wb_text_replace(&r->items[i].output, path, name);
    }
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
                 .lab_source = options->lab_source,
                 .known = options->known,
                 .stop = options->stop};
    begin_report(lab, path, options, r);
    if (gr_submission_read(path, lab, &submission, &err)) {
        run_stages(&w, options);
        if (!w.machine_failed && w.n_tasks)
            gr_points(&w, r);
    } else {
        gr_work_fail(&w, WB_FOUND_UNREADABLE, "%s", err.text);
    }
    if (w.machine_failed)
        r->status = GR_ERROR;
    gr_report_message(r, w.found);
    r->printed = gr_valid_text(wb_buf_steal(&w.printed), MAX_PRINTED);
    if (options->shown)
        gr_show_as(r, path, options->shown);
    r->seconds = wb_now() - start;
    gr_report_finish(r);
    bool machine = w.machine_failed;
    if (w.folder)
        wb_dir_remove(w.folder, NULL);
    gr_work_free(&w);
    gr_submission_free(&submission);
    return !machine;
}

void gr_refuse(const gr_lab *lab, const char *path, const gr_options *options, wb_finding_kind kind,
               const char *message, gr_report *r) {
    begin_report(lab, path, options, r);
    WB_SCOPED_JSON json_t *finding = wb_finding(kind, message);
    gr_report_message(r, finding);
    if (kind == WB_FOUND_MACHINE)
        r->status = GR_ERROR;
    r->printed = gr_valid_text(NULL, MAX_PRINTED);
    gr_report_finish(r);
}
