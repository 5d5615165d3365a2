/* work.c: shared by the stages: paths of files, and failures. */
#include "grader/stages/stages.h"
#include "runtime/base/cgroup.h"
#include "runtime/json/fields.h"

char *gr_work_path(const gr_work *work, const char *format, size_t number) {
    char name[64];
    snprintf(name, sizeof name, format, number); /* formats are literals of this folder */
    return gr_work_file(work, name);
}

size_t gr_work_runs(const gr_work *work, size_t task, gr_run runs[GR_MAX_RUNS]) {
    enum { OTHER_DATA = 0x20000000, OTHER_VALUES }; /* beyond the numbers of timed runs */
    const gr_task *t = &work->tasks[task];
    gr_values values = t->job.values;
    size_t n = 0;
    runs[n++] = (gr_run){0, values, t->races ? GR_WATCH_ALL : GR_WATCH_NOTHING, ""};
    if (t->repeat)
        runs[n++] = (gr_run){0, values, GR_WATCH_NOTHING, ""};
    if (t->sampled)
        runs[n++] = (gr_run){OTHER_DATA, values, GR_WATCH_SOME, ""};
    if (t->other)
        runs[n++] = (gr_run){OTHER_VALUES, gr_job_other(&t->job), GR_WATCH_NOTHING, ""};
    for (size_t i = 0; i < n; i++)
        snprintf(runs[i].output, sizeof runs[i].output, "output-%zu-%c", task, (int)('a' + i));
    return n;
}

void gr_work_outputs(const gr_work *work, size_t task, gr_work_add *add, json_t *list) {
    const gr_task *t = &work->tasks[task];
    gr_run runs[GR_MAX_RUNS];
    size_t n = gr_work_runs(work, task, runs), i;
    for (i = 0; i < n; i++) {
        char *path = gr_work_file(work, runs[i].output);
        add(work, task, runs[i].number, runs[i].values, path ? path : "", list);
        free(path);
    }
    json_t *entry;
    json_array_foreach(json_object_get(t->time, "outputs"), i, entry)
        add(work, task, (uint32_t)wb_field_int(entry, "run"), t->job.values,
            wb_field_text(entry, "file"), list);
}

void gr_work_free(gr_work *work) {
    for (size_t i = 0; i < work->n_tasks; i++) {
        WB_JSON_FREE(work->tasks[i].found, work->tasks[i].report, work->tasks[i].time);
        free(work->tasks[i].rival_plan);
    }
    json_decref(work->found);
    wb_cgroup_free(work->group);
    WB_FREE(work->tasks, work->folder, work->built, work->rival_code);
    wb_buf_free(&work->printed);
}

const char *gr_work_room(const gr_work *work, size_t bytes) {
    size_t most = wb_memory_machine() / 4 * 3; /* leave memory for other programs */
    if (work->group)
        wb_cgroup_limit(work->group, most && most < bytes ? most : bytes);
    return work->group;
}

char *gr_work_file(const gr_work *work, const char *name) {
    return wb_format("%s/%s", work->folder, name);
}

/* Sets *found unless it is set, so that the first reason stays. */
static void note(json_t **found, wb_finding_kind kind, const char *format, va_list args) {
    char reason[8000];
    if (*found)
        return;
    vsnprintf(reason, sizeof reason, format, args);
    *found = wb_finding(kind, reason);
}

bool gr_work_fail(gr_work *work, wb_finding_kind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    work->machine_failed |= !work->found && kind == WB_FOUND_MACHINE;
    note(&work->found, kind, format, args);
    va_end(args);
    return false;
}

bool gr_work_stopped(gr_work *work) {
    if (!work->stop || !*work->stop)
        return false;
    gr_work_fail(work, WB_FOUND_MACHINE, _("interrupted"));
    return true;
}

bool gr_task_fail(gr_task *task, wb_finding_kind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    note(&task->found, kind, format, args);
    va_end(args);
    return false;
}
