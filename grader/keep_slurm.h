/* keep_slurm.h: grading into a gradebook by the nodes of a Slurm. */
#ifndef GRADER_KEEP_SLURM_H
#define GRADER_KEEP_SLURM_H

#include "grader/book/entry.h"
#include "grader/keep.h"

/* Takes what earlier calls handed to Slurm into the book, waiting for it; then hands in what `find`
 * says is to be graded (the entries stay its own), and takes that in. An exit status; whatever
 * failed was told. */
int gr_keep_slurm(const gr_keep *keep, gr_book *book,
                  bool (*find)(void *ctx, gr_entries **pending, wb_error *err), void *ctx);

/* A task's side, on a node: grades task `i` of the round at `path` and writes its result; an exit
 * status. */
int gr_slurm_task(const char *path, const char *i);

#endif
