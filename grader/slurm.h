/* slurm.h: grades submissions of a gradebook on the nodes of a Slurm. */
#ifndef GRADER_SLURM_H
#define GRADER_SLURM_H

#include "grader/book/entry.h"
#include "grader/grade.h"

typedef struct gr_slurm {
    gr_book *book;
    const char *path, *of, *version; /* the book's; digest.h */
    const gr_lab *lab;
    const gr_options *options;
    bool seeded; /* all get options->seed; else each draws its own */
    /* Returns what is to be graded, which it keeps; NULL with *err. */
    const gr_entries *(*find)(void *ctx, wb_error *err);
    void *ctx;
} gr_slurm;

/* Waits for what an earlier call handed in and takes the results into the book. Then does the same
 * for what `find` returns. Returns an exit status. The caller reports *err, if it is set. */
int gr_slurm_grade(const gr_slurm *slurm, wb_error *err);

#endif
