/* grade.h: grades one submission: compile, plan, run, check, score. */
#pragma once

#include <pthread.h>

#include "grader/report/report.h"
#include "grader/stages/stages.h"

typedef struct gr_options {
    wb_device device;
    gr_limits limits;
    uint64_t seed;
    bool sandbox;
    bool only_tests; /* no performance runs, and so no points for them */
    bool lab_source; /* the file is the lab's own rival: it may use any library */
    /* Receives the current stage ("compiling") for a progress line; or NULL. */
    void (*progress)(void *ctx, const char *stage);
    void *progress_ctx;
    const volatile int *stop; /* as in wb_proc_spec, or NULL */
    gr_known *known;          /* shared with submissions of the same seed, or NULL */
    /* Held while the device works for this submission, so that no other disturbs its times. NULL:
     * the device is softgpu, or there is no other submission. */
    pthread_mutex_t *turn;
    /* Shown instead of the submission's path, if that is a copy's; or NULL. */
    const char *shown;
} gr_options;

/* Always fills *report. Returns false if the machine failed or *options->stop is set. The report's
 * status is then "error", and its message says why. Thread-safe. */
bool gr_grade(const gr_lab *lab, const char *submission, const gr_options *options,
              gr_report *report);
/* Replaces the submission's path in the report by `shown`. */
void gr_show_as(gr_report *report, const char *path, const char *shown);
/* Makes the report of a submission that can't be read, or on which the machine failed. */
void gr_refuse(const gr_lab *lab, const char *submission, const gr_options *options,
               wb_finding_kind kind, const char *message, gr_report *report);
