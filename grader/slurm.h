/* slurm.h: grades submissions of a gradebook on the nodes of a Slurm cluster. */
#pragma once

#include "grader/book/entry.h"
#include "grader/grade.h"

typedef struct gr_slurm {
    gr_book *book;
    const char *path, *of, *version; /* the book's; digest.h */
    const gr_lab *lab;
    const gr_options *options;
    bool seeded; /* all get options->seed; otherwise each draws its own */
    /* Returns the submissions to grade, which it owns. NULL with *err. */
    const gr_entries *(*find)(void *ctx, wb_error *err);
    void *ctx;
} gr_slurm;

/* Takes the results of an earlier call into the book. Then grades what `find` returns. Returns an
 * exit status. The caller prints *err if it is set. */
int gr_slurm_grade(const gr_slurm *slurm, wb_error *err);
