/* slurm_task.c: one task of a round, on whichever node Slurm chose. */
#include "grader/keep_slurm.h"
#include "grader/book/digest.h"
#include "grader/job/random.h"
#include "grader/slurm/round.h"
#include "runtime/cli/cli.h"
#include "runtime/sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_options(const json_t *spec, gr_options *o, wb_error *err) {
    const json_t *limits = json_object_get(spec, "limits");
    const char *seed = json_string_value(json_object_get(spec, "seed"));
    *o = (gr_options){.sandbox = !json_is_false(json_object_get(spec, "sandbox")),
                      .limits = {json_number_value(json_array_get(limits, 0)),
                                 json_number_value(json_array_get(limits, 1)),
                                 json_number_value(json_array_get(limits, 2))},
                      .seed = seed ? strtoull(seed, NULL, 0) : 0,
                      .stop = &wb_cli_interrupted};
    bool gpu = json_is_true(json_object_get(spec, "gpu"));
    /* here and not where it was handed in: it is this node that grades */
    return wb_device_select(gpu ? "gpu" : "soft", &o->device, err) &&
           (!o->sandbox || wb_sandbox_check(err)) && (seed || gr_seed_new(&o->seed, err));
}

static bool write_result(const gr_round *r, size_t i, const char *of, const gr_report *report,
                         wb_error *err) {
    char version[WB_SHA256_TEXT];
    gr_grader_digest(version);
    json_t *json = gr_round_result(of, version, report);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    char *path = wb_format("%s/results/%zu.json", r->path, i);
    bool ok = text && path ? wb_file_write(path, text, strlen(text), err)
                           : wb_fail(err, 1, "out of memory");
    json_decref(json);
    free(text);
    free(path);
    return ok;
}

static bool grade_task(const gr_round *r, size_t i, wb_error *err) {
    gr_options options;
    gr_report report = {.status = NULL};
    char of[WB_SHA256_TEXT];
    const char *lab_json = json_string_value(json_object_get(r->spec, "lab"));
    char *copy = wb_format("%s/tasks/%zu/%s", r->path, i, r->tasks[i].file);
    gr_lab *lab = NULL;
    bool ok = (copy || wb_fail(err, 1, "out of memory")) && read_options(r->spec, &options, err) &&
              gr_lab_digest(lab_json, options.device.kind == WB_DEVICE_GPU, of, err) &&
              (lab = gr_lab_read(lab_json, err));
    if (ok) {
        options.shown = r->tasks[i].name;
        gr_grade(lab, copy, &options, &report); /* of a machine that failed the report tells */
        ok = wb_cli_interrupted ? wb_fail(err, 1, "ended by signal %d", wb_cli_interrupted)
                                : write_result(r, i, of, &report, err);
        gr_report_free(&report);
    }
    gr_lab_free(lab);
    free(copy);
    return ok;
}

int gr_slurm_task(const char *path, const char *number) {
    wb_error err = {0};
    gr_round round;
    char *end = NULL;
    size_t i = strtoul(number, &end, 10);
    wb_cli_catch_interrupts();
    bool ok = gr_round_open(path, &round, &err) &&
              ((end != number && !*end && i < round.n) ||
               wb_fail(&err, 1, "%s has no task %s", path, number)) &&
              grade_task(&round, i, &err);
    gr_round_free(&round);
    if (!ok)
        fprintf(stderr, "warpbook grade: %s\n", err.text);
    return ok ? WB_EXIT_DONE : WB_EXIT_MACHINE;
}
