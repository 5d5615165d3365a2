/* queue.c: sbatch and squeue. */
#include "grader/slurm/queue.h"
#include "runtime/base/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_S = 120, MAX_ANSWER = 16 << 20 };

bool gr_queue_check(wb_error *err) {
    static const char *const programs[] = {"sbatch", "squeue"};
    for (size_t i = 0; i < WB_COUNT(programs); i++) {
        char *path = wb_path_find(programs[i]);
        if (!path)
            return wb_fail(
                err, 1,
                "there is no Slurm here: %s is not on the PATH. Call from a machine that "
                "hands in jobs, or leave --slurm out to grade on this one",
                programs[i]);
        free(path);
    }
    return true;
}

/* Runs one of Slurm's commands; false with what it said. */
static bool ask(const char *const *argv, const char *cwd, wb_proc_result *result, wb_error *err) {
    wb_proc_spec spec = {
        .argv = argv, .cwd = cwd, .timeout_s = PATIENCE_S, .max_output = MAX_ANSWER};
    if (!wb_proc_run(&spec, result, err))
        return false;
    if (result->exit_code == 0 && result->out_total == result->out.len)
        return true;
    char how[120];
    wb_proc_describe(result, how, sizeof how);
    const char *said = result->err.data ? result->err.data : "";
    return wb_fail(err, 1, "%s did not do it (%s): %.*s", argv[0],
                   result->timed_out ? wb_tr("no answer in two minutes") : how,
                   (int)strcspn(said, "\n"), said);
}

bool gr_queue_send(const char *folder, const char *name, size_t part, size_t n, bool gpu,
                   const char *script, const char *const *args, wb_error *err) {
    char *array = wb_format("--array=0-%zu", n - 1),
         *job = wb_format("--job-name=%s-%zu", name, part);
    char *log = wb_format("--output=logs/%zu-%%a.log", part);
    /* a node that dies costs its tasks another try; a try's result takes the place of an earlier */
    const char *argv[32] = {"sbatch", "--parsable", "--requeue", "--open-mode=truncate",
                            array,    job,          log};
    size_t k = 7;
    wb_proc_result result = {.exit_code = -1};
    if (gpu)
        argv[k++] = "--gres=gpu:1";
    argv[k++] = script;
    while (*args && k + 1 < WB_COUNT(argv))
        argv[k++] = *args++;
    bool ok =
        array && job && log ? ask(argv, folder, &result, err) : wb_fail(err, 1, "out of memory");
    wb_proc_result_free(&result);
    free(array);
    free(job);
    free(log);
    return ok;
}

/* "NAME-PART INDEX STATE REASON": one task, or one that is none of an array (N/A). */
static void take_line(char *line, size_t name_len, gr_queue_seen *seen, void *ctx) {
    char *rest = line, *job = strsep(&rest, " "), *index = rest ? strsep(&rest, " ") : NULL;
    char *state = rest ? strsep(&rest, " ") : NULL, *end = NULL;
    if (!state || strlen(job) < name_len + 2)
        return;
    size_t part = strtoul(job + name_len + 1, NULL, 10), i = strtoul(index, &end, 10);
    if (end != index && !*end)
        seen(ctx, part * GR_ARRAY + i, state, rest ? rest : "");
}

bool gr_queue_ask(const char *name, size_t parts, gr_queue_seen *seen, void *ctx, wb_error *err) {
    wb_buf names = {0};
    wb_proc_result result = {.exit_code = -1};
    for (size_t p = 0; p < parts; p++)
        wb_buf_printf(&names, "%s%s-%zu", p ? "," : "--name=", name, p);
    const char *argv[] = {
        "squeue",   "--noheader", "--array", "--states=all", "--format=%j %K %T %r",
        names.data, NULL};
    bool ok = !names.failed && names.data ? ask(argv, NULL, &result, err)
                                          : wb_fail(err, 1, "out of memory");
    char *rest = ok ? result.out.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n"));)
        take_line(line, strlen(name), seen, ctx);
    wb_proc_result_free(&result);
    wb_buf_free(&names);
    return ok;
}

bool gr_queue_over(const char *state) {
    static const char *const ends[] = {"COMPLETED", "BOOT_FAIL",     "CANCELLED",
                                       "DEADLINE",  "FAILED",        "NODE_FAIL",
                                       "PREEMPTED", "OUT_OF_MEMORY", "TIMEOUT"};
    for (size_t i = 0; i < WB_COUNT(ends); i++)
        if (strcmp(ends[i], state) == 0)
            return true;
    return false;
}
