/* run.c: the trusted runner replays the plans on the device. */
#include "grader/stages/stages.h"

#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"
#include "runtime/model/gpu.h"
#include "runtime/softgpu/engine.h"

enum { MAX_ENTRIES = 16, KEPT = 4096, MAX_PRINTED = 48 << 20, ROUNDS = 16 };
/* softgpu's device memory, and the runner's limit, which includes it */
#define DEVICE_MEMORY ((size_t)2 << 30)
#define MEMORY ((json_int_t)6 << 30)
/* with the compiler that it calls, and on a GPU the driver and the rival */
#define ROOM ((size_t)16 << 30)
enum { START_S = 120 }; /* until the runner watches its time itself */

static json_t *timing_of(gr_work *w, size_t i) {
    const gr_task *task = &w->tasks[i];
    WB_SCOPED char *prefix = gr_work_path(w, "timed-%zu", i);
    json_t *timing = json_pack("{s:s, s:i, s:f}", "prefix", prefix, "rounds", ROUNDS,
                               "minimum_bytes", task->minimum_bytes);
    if (task->rival_plan)
        json_object_set_new(
            timing, "rival",
            json_pack("{s:s, s:s}", "code", w->rival_code, "plan", task->rival_plan));
    return timing;
}

static json_t *request_of(gr_work *w, size_t i) {
    const gr_task *task = &w->tasks[i];
    if (task->call)
        return json_pack("{s:i, s:b, s:o}", "index", (int)i, "rival", 1, "job",
                         gr_job_save(&task->job));
    static const char *const watch[] = {"nothing", "all", "some"};
    WB_SCOPED char *plan = gr_work_path(w, "plan-%zu", i);
    gr_run runs[GR_MAX_RUNS];
    size_t n = gr_work_runs(w, i, runs);
    json_t *list = json_array();
    for (size_t k = 0; k < n; k++) {
        WB_SCOPED char *output = gr_work_file(w, runs[k].output);
        json_array_append_new(list,
                              json_pack("{s:I, s:i, s:s, s:s}", "run", (json_int_t)runs[k].number,
                                        "values", runs[k].values, "watch", watch[runs[k].watch],
                                        "output", output ? output : ""));
    }
    json_t *request = json_pack("{s:i, s:s, s:o, s:o, s:b, s:b}", "index", (int)i, "plan", plan,
                                "job", gr_job_save(&task->job), "runs", list, "count", task->count,
                                "model", task->modelled);
    if (task->timed)
        json_object_set_new(request, "time", timing_of(w, i));
    return request;
}

/* Removes the grader's own folders from a text. The caller frees the result. */
static char *without_folder(const gr_work *w, const char *text) {
    wb_buf b = {0};
    size_t n = strlen(w->built);
    for (; *text; text++) {
        if (strncmp(text, w->built, n) == 0 && text[n] == '/')
            text += n;
        else
            wb_buf_putc(&b, *text);
    }
    return wb_buf_steal(&b);
}

static bool used_up(const gr_work *w) {
    return w->used.cpu_s >= w->lab->limits.cpu_s || w->used.wall_s >= w->lab->limits.wall_s;
}

/* Returns the limit of the lab that the submission has reached, as a sentence. The caller frees
 * it. */
static char *budget_words(const gr_work *w) {
    const gr_budget *most = &w->lab->limits;
    if (w->used.cpu_s >= most->cpu_s)
        return wb_format(_("The submission's tests together may use %.0f s of processor time "
                           "(limits.cpu_s in lab.json)."),
                         most->cpu_s);
    return wb_format(_("The submission's tests together may take %.0f s (limits.wall_s in "
                       "lab.json)."),
                     most->wall_s);
}

/* Fails the task with softgpu's fault and its place, or with the runner's error. */
static void fail_task(gr_work *w, gr_task *task, const json_t *line) {
    const json_t *fault = json_object_get(json_object_get(line, "report"), "fault");
    const char *text = wb_field_string(line, "text");
    WB_SCOPED char *words = without_folder(w, text ? text : _("it failed"));
    wb_finding_kind kind = WB_FOUND_RUN_FAILED;
    if (wb_field_true(line, "plan_failed"))
        kind = WB_FOUND_NOT_RECORDED;
    else if (wb_field_true(line, "spent"))
        kind = WB_FOUND_BUDGET;
    else if (wb_field_true(line, "expired"))
        kind = WB_FOUND_KERNEL_ENDLESS;
    else if (json_is_object(fault))
        kind = wb_finding_explains(fault) ? wb_finding_of(fault) : WB_FOUND_FAULT;
    /* an empty plan already has the error of the process that should have written it */
    if (!task->found) {
        WB_SCOPED char *limit = kind == WB_FOUND_BUDGET ? budget_words(w) : NULL;
        gr_task_fail(task, kind, "%s%s%s", words ? words : "", limit ? " " : "",
                     limit ? limit : "");
        wb_finding_locate(task->found, fault);
    }
}

/* Reads one line of the runner. *before: used before this runner began. *open: the task that has
 * begun and not ended, or -1. */
static void take_answer(gr_work *w, const gr_budget *before, json_t *line, long *open, bool *done,
                        bool *stopped) {
    const json_t *index = json_object_get(line, "index");
    *done |= wb_field_true(line, "done");
    if (wb_field_true(line, "failed"))
        gr_work_fail(w, WB_FOUND_MACHINE, _("the device can't be used: %s"),
                     wb_field_string(line, "text"));
    if (!json_is_integer(index) || json_integer_value(index) < 0 ||
        (size_t)json_integer_value(index) >= w->n_tasks)
        return;
    gr_task *task = &w->tasks[json_integer_value(index)];
    if (wb_field_true(line, "begin")) {
        *open = (long)json_integer_value(index);
        return;
    }
    *open = -1;
    *stopped |= wb_field_true(line, "expired");
    w->used.cpu_s = before->cpu_s + wb_field_number(line, "cpu_s");
    w->used.wall_s = before->wall_s + wb_field_number(line, "wall_s");
    task->ran = wb_field_true(line, "ok");
    if (!task->ran) {
        fail_task(w, task, line);
        return;
    }
    task->report = json_incref(json_object_get(line, "report"));
    task->time = json_incref(json_object_get(line, "time"));
}

static void take_answers(gr_work *w, const wb_proc_result *r, long *open, bool *done,
                         bool *stopped) {
    const char *p = r->out.data ? r->out.data : "";
    const gr_budget before = w->used;
    while (*p) {
        size_t n = strcspn(p, "\n");
        WB_SCOPED_JSON json_t *line = json_loadb(p, n, 0, NULL);
        take_answer(w, &before, line, open, done, stopped);
        p += n + (p[n] == '\n');
    }
}

static bool runnable(const gr_task *task) {
    return !task->ran && !task->found;
}

/* Returns the environment for the model's GPU, whichever GPU softgpu imitates on this machine. */
static char **model_entries(const gr_work *w) {
    wb_device device = *w->device;
    bool modelled = false;
    for (size_t i = 0; i < w->n_tasks; i++)
        modelled |= w->tasks[i].modelled;
    WB_SCOPED char *gpu = modelled ? model_gpu_file(GR_MODEL_GPU, NULL) : NULL;
    snprintf(device.gpu_file, sizeof device.gpu_file, "%s", gpu ? gpu : "");
    device.stands_in = false;
    return wb_device_gpu_entries(&device);
}

/* Makes the runner's environment. The caller frees the entries; the last is NULL. */
static void make_environment(const gr_work *w, char *env[MAX_ENTRIES]) {
    char **model = model_entries(w);
    WB_SCOPED char *isolate = w->sandbox ? wb_path_lib("warpbook-isolate") : NULL;
    size_t n = 0;
    env[n++] = wb_device_environment(w->device);
    env[n++] = strdup("CUDA_MODULE_LOADING=EAGER");
    env[n++] = strdup(WB_PROC_LARGE_PAGES);
    env[n++] = wb_format("WARPBOOK_SOFTGPU_MEMORY=%zu", DEVICE_MEMORY);
    env[n++] = wb_format("WARPBOOK_SOFTGPU_SMS=%d", SG_MODEL_SMS); /* as in the plan stage */
    env[n++] = strdup("WARPBOOK_SOFTGPU_EARLY=0"); /* early output would reveal hidden sizes */
    env[n++] = wb_format("WARPBOOK_SOFTGPU_SEED=%llu", (unsigned long long)w->tasks[0].job.seed);
    if (isolate) /* ptxas reads the submission's code, so it is isolated */
        env[n++] = wb_format("WARPBOOK_SOFTGPU_PTXAS_BY=%s", isolate);
    for (size_t i = 0; model && model[i]; i++)
        env[n++] = strdup(model[i]);
    wb_device_entries_free(model);
}

/* Fails a task after one that used up the submission's time, or never ended. */
static void fail_unrun(const gr_work *w, gr_task *task) {
    WB_SCOPED char *limit = used_up(w) ? budget_words(w) : NULL;
    if (limit)
        gr_task_fail(task, WB_FOUND_NOT_RUN, _("not run: tests before it took all the time. %s"),
                     limit);
    else
        gr_task_fail(task, WB_FOUND_NOT_RUN,
                     _("not run: a test before it ran or printed without end"));
}

/* Takes the answers of a runner that ended after `seconds`. Returns true if a fault ended it, and
 * another one must run the rest. `idle`: it had nothing to do. */
static bool take_end(gr_work *w, const wb_proc_result *r, bool idle, double seconds) {
    double cpu_before = w->used.cpu_s;
    bool done = false, stopped = false;
    long open = -1;
    char how[120];
    take_answers(w, r, &open, &done, &stopped);
    if (open >= 0) { /* it died before it said what it used */
        if (w->device->kind != WB_DEVICE_GPU)
            w->used.cpu_s = fmax(w->used.cpu_s, cpu_before + seconds);
        gr_task_fail(&w->tasks[open], r->flooded ? WB_FOUND_FLOODS : WB_FOUND_RUN_FAILED,
                     r->flooded ? _("its kernels print without end (%s)") : _("the run %s"),
                     wb_proc_describe(r, how, sizeof how));
    } else if (!done && !w->found && idle) {
        gr_work_fail(w, WB_FOUND_MACHINE, _("the runner %s"), wb_proc_describe(r, how, sizeof how));
    }
    wb_buf_append(&w->printed, r->err.data ? r->err.data : "",
                  r->err.len < KEPT ? r->err.len : KEPT);
    /* a kernel that never ends would not end the next time */
    for (size_t i = 0; (stopped || r->flooded) && i < w->n_tasks; i++)
        if (runnable(&w->tasks[i]))
            fail_unrun(w, &w->tasks[i]);
    return !done && !w->found;
}

/* Runs the remaining tasks. Returns false if the machine failed. *again: a fault ended the runner,
 * and another one must run the rest. */
static bool run_rest(gr_work *w, bool *again) {
    wb_error err = {0};
    WB_SCOPED char *program = wb_path_lib("warpbook-replay"),
                   *code = gr_work_path(w, "device-code", 0);
    char *env[MAX_ENTRIES] = {NULL};
    make_environment(w, env);
    json_t *jobs = json_array();
    for (size_t i = 0; i < w->n_tasks; i++)
        if (runnable(&w->tasks[i]))
            json_array_append_new(jobs, request_of(w, i));
    double cpu_s = fmax(0, w->lab->limits.cpu_s - w->used.cpu_s);
    double wall_s = fmax(0, w->lab->limits.wall_s - w->used.wall_s);
    json_t *request = json_pack("{s:s, s:f, s:f, s:f, s:I, s:o}", "fatbin", code, "seconds",
                                w->limits.run_s, "cpu_s", cpu_s, "wall_s", wall_s, "memory",
                                w->device->kind == WB_DEVICE_SOFT ? MEMORY : 0, "jobs", jobs);
    bool none = json_array_size(jobs) == 0;
    WB_SCOPED char *input = wb_json_dump(request, JSON_COMPACT);
    const char *argv[] = {program, NULL};
    wb_proc_spec proc = {.argv = argv,
                         .env = (const char *const *)env,
                         .cwd = w->folder,
                         .input = input,
                         .input_len = input ? strlen(input) : 0,
                         .max_output = MAX_PRINTED,
                         .limit_output = MAX_PRINTED,
                         .cgroup = gr_work_room(w, ROOM),
                         .timeout_s = START_S + wall_s,
                         .stop = w->stop};
    wb_proc_result r;
    double began = wb_now();
    bool ok = input && wb_proc_run(&proc, &r, &err);
    *again = false;
    if (ok && gr_work_stopped(w)) {
        wb_proc_result_free(&r);
    } else if (!ok) {
        gr_work_fail(w, WB_FOUND_MACHINE, _("the runner can't be started: %s"), err.text);
    } else {
        *again = take_end(w, &r, none, wb_now() - began);
        wb_proc_result_free(&r);
    }
    for (size_t i = 0; env[i]; i++)
        free(env[i]);
    return ok && !w->machine_failed;
}

bool gr_stage_run(gr_work *w) {
    bool again = true;
    /* every round finishes at least one task, unless the runner died without an answer */
    for (size_t round = 0; again && round <= w->n_tasks; round++) {
        size_t left = 0, after = 0;
        for (size_t i = 0; i < w->n_tasks; i++)
            left += runnable(&w->tasks[i]);
        if (!left)
            return true;
        if (!run_rest(w, &again))
            return false;
        for (size_t i = 0; i < w->n_tasks; i++)
            after += runnable(&w->tasks[i]);
        if (again && after == left)
            return gr_work_fail(w, WB_FOUND_MACHINE, _("the runner ended without an answer"));
    }
    return true;
}
