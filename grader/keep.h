/* keep.h: grading into a gradebook: what is handed in goes in first, every result as it comes, and
 * a call that was ended goes on where it stopped. */
#ifndef GRADER_KEEP_H
#define GRADER_KEEP_H

#include "grader/batch.h"

typedef struct gr_keep {
    const char *book;
    const gr_lab *lab;
    const char *const *paths; /* none: what the book has of the lab */
    size_t n;
    size_t jobs;
    const gr_options *options;
    bool seeded; /* options->seed for all; else a new one each */
    bool again;  /* also those that have a result for the lab as it is */
    bool timed;  /* all were handed in at this time; else when the file was written */
    int64_t at;
    bool slurm; /* the nodes of a Slurm grade, by way of the folder BOOK.slurm */
} gr_keep;

/* Grades and prints what it comes to; an exit status. `reports` are of the submissions named (or of
 * all that were graded), to be freed by the caller, also where it failed. */
int gr_keep_run(const gr_keep *keep, gr_report **reports, size_t *n);

#endif
