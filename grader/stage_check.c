/* stage_check.c: another trusted process judges the outputs. */
#include "grader/stages.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ANSWERS = 16 << 20 };

/* The outputs of a task's runs; those of timed runs are judged like any other. */
static json_t *request_of(gr_work *w, size_t i) {
    const gr_task *task = &w->tasks[i];
    json_t *runs = json_array(), *outputs = json_array();
    for (size_t k = 0; k < (task->repeat ? 2u : 1u); k++) {
        char *path = gr_work_path(w, k ? "output-%zu-b" : "output-%zu-a", i);
        json_array_append_new(runs, json_integer(0));
        json_array_append_new(outputs, json_string(path));
        free(path);
    }
    const json_t *timed = json_object_get(task->time, "outputs");
    for (size_t k = 0; k < json_array_size(timed); k++) {
        const json_t *entry = json_array_get(timed, k);
        json_array_append(runs, json_object_get(entry, "run"));
        json_array_append(outputs, json_object_get(entry, "file"));
    }
    return json_pack("{s:o, s:o, s:o, s:b}", "job", gr_job_save(&task->job), "runs", runs,
                     "outputs", outputs, "same", task->repeat);
}

static bool take_answers(gr_work *w, const wb_proc_result *r, const size_t *tasks, size_t n) {
    const char *p = r->out.data ? r->out.data : "";
    size_t taken = 0;
    while (*p) {
        size_t length = strcspn(p, "\n");
        json_t *line = json_loadb(p, length, 0, NULL);
        size_t index = (size_t)json_integer_value(json_object_get(line, "index"));
        const char *error = json_string_value(json_object_get(line, "error"));
        if (json_is_integer(json_object_get(line, "index")) && index < n) {
            gr_task *task = &w->tasks[tasks[index]];
            task->passed = json_is_true(json_object_get(line, "passed"));
            taken++;
            if (error && *error)
                gr_work_fail(w, true, "a result can't be checked: %s", error);
            else if (!task->passed)
                gr_task_fail(task, "%s", json_string_value(json_object_get(line, "text")));
        }
        json_decref(line);
        p += length + (p[length] == '\n');
    }
    return taken == n && !w->machine_failed;
}

bool gr_stage_check(gr_work *w) {
    wb_error err = {0};
    size_t *tasks = calloc(w->n_tasks + 1, sizeof *tasks), n = 0;
    json_t *checks = json_array();
    for (size_t i = 0; tasks && i < w->n_tasks; i++)
        if (w->tasks[i].ran) {
            tasks[n++] = i;
            json_array_append_new(checks, request_of(w, i));
        }
    json_t *request = json_pack("{s:o}", "checks", checks);
    char *input = request ? json_dumps(request, JSON_COMPACT) : NULL;
    char *program = wb_path_lib("warpbook-check");
    const char *argv[] = {program, NULL};
    wb_proc_spec proc = {.argv = argv,
                         .cwd = w->folder,
                         .input = input,
                         .input_len = input ? strlen(input) : 0,
                         .max_output = MAX_ANSWERS,
                         .timeout_s = 600,
                         .stop = w->stop};
    wb_proc_result r;
    bool ok = tasks && input && program && wb_proc_run(&proc, &r, &err);
    if (!ok) {
        gr_work_fail(w, true, "the checker can't be started: %s", err.text);
    } else {
        char how[120];
        if (!take_answers(w, &r, tasks, n))
            ok = gr_work_fail(w, true, "the checker %s: %.300s",
                              wb_proc_describe(&r, how, sizeof how), r.err.data ? r.err.data : "");
        wb_proc_result_free(&r);
    }
    free(tasks);
    free(input);
    free(program);
    json_decref(request);
    return ok;
}
