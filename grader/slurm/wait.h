/* wait.h: takes the results of a round as they come, until nothing of it is left in Slurm. */
#ifndef GRADER_SLURM_WAIT_H
#define GRADER_SLURM_WAIT_H

#include "grader/slurm/round.h"

typedef struct gr_round_taker {
    void *ctx;
    /* Keeps a result, made by the lab `of` and this version (digest.h); false with *err: it can't
     * be, and waiting ends. The report is the caller's. */
    bool (*take)(void *ctx, const gr_round_task *task, const char *of, const char *version,
                 const gr_report *report, wb_error *err);
} gr_round_taker;

typedef struct gr_round_end {
    size_t finished;     /* results that were taken */
    size_t missing;      /* tasks that will give none; each was told */
    bool machine_failed; /* a node could not grade */
    bool lost;           /* take failed, and why: */
    wb_error err;
} gr_round_end;

/* Until each task's result is taken, or Slurm will run none of the others, or wb_cli_interrupted is
 * set: then the jobs go on by themselves. A line on stderr for each. The counts are added to *end.
 */
void gr_round_wait(gr_round *round, const gr_round_taker *taker, gr_round_end *end);

#endif
