/* keep.h: grades into a gradebook. It first stores the submissions, then each result as it comes.
 * After an interruption the same call continues. */
#pragma once

#include "grader/batch.h"

typedef struct gr_keep {
    const char *book;
    const gr_lab *lab;
    const char *const *paths; /* none: all submissions of the lab in the book */
    size_t n;
    size_t jobs;
    const gr_options *options;
    bool seeded; /* all get options->seed; otherwise each gets a new one */
    bool again;  /* also grade those that have a current result */
    bool timed;  /* all were handed in at `at`; otherwise when each file was written */
    int64_t at;
    bool slurm; /* grade on the nodes of a Slurm cluster, through the folder BOOK.slurm */
} gr_keep;

/* Grades and prints messages. Returns an exit status. `reports` has the named submissions, or all
 * graded ones. The caller frees them, also after a failure. */
int gr_keep_run(const gr_keep *keep, gr_report **reports, size_t *n);
