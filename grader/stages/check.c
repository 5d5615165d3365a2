/* check.c: runs warpbook-check, which judges the outputs. */
#include "grader/stages/stages.h"
#include "runtime/base/scoped.h"
#include "runtime/json/fields.h"

enum { MAX_ANSWERS = 16 << 20 };

static void add_output(const gr_work *w, size_t task, uint32_t run, gr_values values,
                       const char *path, json_t *list) {
    WB_SCOPED char *expected = gr_work_expected(w, task, run, values);
    json_array_append_new(list, json_pack("{s:I, s:i, s:s, s:s*}", "run", (json_int_t)run, "values",
                                          values, "output", path, "expected", expected));
}

/* Requests a check of all outputs of a task, also those of timed runs. */
static json_t *request_of(const gr_work *w, size_t i) {
    const gr_task *task = &w->tasks[i];
    json_t *list = json_array();
    gr_work_outputs(w, i, add_output, list);
    return json_pack("{s:o, s:o, s:b}", "job", gr_job_save(&task->job), "runs", list, "same",
                     task->repeat);
}

static const char *file_name(const char *path) {
    return path ? wb_path_name(path) : _("the source");
}

/* Explains a wrong result by threads that had returned before a barrier. NULL: none had. */
static char *gone_words(const json_t *report) {
    const json_t *launches = json_object_get(report, "launches"), *gone = NULL;
    for (size_t i = 0; !gone && i < json_array_size(launches); i++)
        gone = json_object_get(json_array_get(launches, i), "gone");
    if (!gone)
        return NULL;
    wb_buf b = {0};
    const char *file = file_name(wb_field_string(gone, "file"));
    int barrier = (int)wb_field_int(gone, "barrier");
    int left = (int)wb_field_int(gone, "left");
    wb_buf_printf(&b, _(" %d of a block's %d threads had returned"),
                  (int)wb_field_int(gone, "threads"), (int)wb_field_int(gone, "of"));
    if (left)
        wb_buf_printf(&b, _(" (%s line %d)"), file, left);
    wb_buf_printf(&b, _(" before the barrier in "));
    if (barrier)
        wb_buf_printf(&b, _("line %d"), barrier);
    else
        wb_buf_printf(&b, "%s", file);
    wb_buf_printf(&b, _(", which does not wait for them: what they should have loaded or stored is "
                        "missing. Let all threads reach it; put the condition around the loads and "
                        "the stores."));
    return wb_buf_steal(&b);
}

/* Fails the task with the checker's sentence. A known cause replaces a guess: returned threads, or
 * the message of the lab's check(). */
static void fail_task(gr_task *task, const json_t *line) {
    bool own = task->refused && task->found, guess = wb_field_true(line, "guess");
    WB_SCOPED char *known =
        own ? wb_format(" %s", wb_field_text(task->found, "text")) : gone_words(task->report);
    json_t *refused = own ? task->found : NULL;
    task->found = own ? NULL : task->found;
    gr_task_fail(task,
                 own                                   ? WB_FOUND_REFUSED
                 : wb_field_true(line, "unrepeatable") ? WB_FOUND_UNREPEATABLE
                                                       : WB_FOUND_WRONG,
                 "%s%s%s", wb_field_text(line, "text"),
                 known && guess ? "" : wb_field_text(line, "hint"), known ? known : "");
    json_object_set(task->found, "subject", json_object_get(line, "array"));
    json_object_set(task->found, "cause", json_object_get(own ? refused : line, "cause"));
    json_decref(refused);
    json_object_set(task->found, "wrong", json_object_get(line, "wrong"));
}

static bool take_answers(gr_work *w, const wb_proc_result *r, const size_t *tasks, size_t n) {
    const char *p = r->out.data ? r->out.data : "";
    size_t taken = 0;
    while (*p) {
        size_t length = strcspn(p, "\n");
        WB_SCOPED_JSON json_t *line = json_loadb(p, length, 0, NULL);
        size_t index = (size_t)wb_field_int(line, "index");
        const char *error = wb_field_string(line, "error");
        if (json_is_integer(json_object_get(line, "index")) && index < n) {
            gr_task *task = &w->tasks[tasks[index]];
            bool right = wb_field_true(line, "passed");
            task->passed = right && !task->refused;
            taken++;
            if (error && *error)
                gr_work_fail(w, WB_FOUND_MACHINE, _("a result can't be checked: %s"), error);
            else if (!right)
                fail_task(task, line);
        }
        p += length + (p[length] == '\n');
    }
    return taken == n && !w->machine_failed;
}

bool gr_stage_check(gr_work *w) {
    wb_error err = {0};
    WB_SCOPED size_t *tasks = calloc(w->n_tasks + 1, sizeof *tasks);
    size_t n = 0;
    json_t *checks = json_array();
    for (size_t i = 0; tasks && i < w->n_tasks; i++)
        if (w->tasks[i].ran) {
            tasks[n++] = i;
            json_array_append_new(checks, request_of(w, i));
        }
    WB_SCOPED char *input = wb_json_dump(json_pack("{s:o}", "checks", checks), JSON_COMPACT);
    WB_SCOPED char *program = wb_path_lib("warpbook-check");
    const char *argv[] = {program, NULL}, *env[] = {WB_PROC_LARGE_PAGES, NULL};
    wb_proc_spec proc = {.argv = argv,
                         .env = env,
                         .cwd = w->folder,
                         .input = input,
                         .input_len = input ? strlen(input) : 0,
                         .max_output = MAX_ANSWERS,
                         .timeout_s = 600,
                         .nice = GR_UNTIMED,
                         .stop = w->stop};
    wb_proc_result r;
    bool ok = tasks && input && program && wb_proc_run(&proc, &r, &err);
    if (!ok) {
        gr_work_fail(w, WB_FOUND_MACHINE, _("the checker can't be started: %s"), err.text);
    } else {
        char how[120];
        if (!take_answers(w, &r, tasks, n))
            ok = gr_work_fail(w, WB_FOUND_MACHINE, _("the checker %s: %.300s"),
                              wb_proc_describe(&r, how, sizeof how), r.err.data ? r.err.data : "");
        wb_proc_result_free(&r);
    }
    return ok;
}
