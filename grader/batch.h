/* batch.h: many submissions, some at a time: who grades next, what is told meanwhile. */
#ifndef GRADER_BATCH_H
#define GRADER_BATCH_H

#include "grader/grade.h"

/* How many are graded at a time unless told: one a core, as long as there is memory for each. */
size_t gr_batch_jobs(void);

enum { GR_MAX_JOBS = 64 };

typedef struct gr_batch {
    size_t n, jobs;
    const gr_options *options;
    void *ctx;
    /* The name of submission i, for the progress. */
    const char *(*name)(void *ctx, size_t i);
    /* Grades it, on one of the threads; false: the machine failed. *report is filled. */
    bool (*grade)(void *ctx, size_t i, const gr_options *options, gr_report *report);
    /* Takes the report over, one call at a time; not called for one that an interrupt cut short.
     * False with *err: it can't be kept; no further submission is begun then. */
    bool (*take)(void *ctx, size_t i, gr_report *report, wb_error *err);
} gr_batch;

typedef struct gr_batch_result {
    size_t finished;     /* and taken */
    bool machine_failed; /* of one at least */
    bool failed;         /* one did not pass every test */
    bool lost;           /* take failed; why: */
    wb_error err;
} gr_batch_result;

/* Until all are graded, take fails or wb_cli_interrupted is set. On a terminal a line tells what
 * goes on; elsewhere, of more than one submission, a line for each that is done. Both on stderr. */
gr_batch_result gr_batch_run(const gr_batch *batch);

#endif
