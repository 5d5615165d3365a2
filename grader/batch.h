/* batch.h: grades many submissions, several at a time, and shows the progress. */
#pragma once

#include "grader/grade.h"

/* Returns the default number of jobs: one a core, if there is memory for each. */
size_t gr_batch_jobs(void);

enum { GR_MAX_JOBS = 64 };

typedef struct gr_batch {
    size_t n, jobs;
    const gr_options *options;
    void *ctx;
    /* Returns the name of submission i, for the progress. */
    const char *(*name)(void *ctx, size_t i);
    /* Grades submission i on one of the threads and fills *report. False: the machine failed. */
    bool (*grade)(void *ctx, size_t i, const gr_options *options, gr_report *report);
    /* Takes over the report, one call at a time. It is not called for a submission that an
     * interrupt ended. False with *err: it can't keep the report; no further submission begins. */
    bool (*take)(void *ctx, size_t i, gr_report *report, wb_error *err);
} gr_batch;

typedef struct gr_batch_result {
    size_t finished;     /* graded, and taken by take */
    bool machine_failed; /* the machine failed for at least one */
    bool failed;         /* one did not pass every test */
    bool lost;           /* take failed; *err says why */
    wb_error err;
} gr_batch_result;

/* Runs until all are graded, take fails or wb_cli_interrupted is set. On a terminal, stderr shows a
 * progress line; otherwise, with several submissions, a line for each finished one. */
gr_batch_result gr_batch_run(const gr_batch *batch);
