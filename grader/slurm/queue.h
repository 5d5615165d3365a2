/* queue.h: Slurm itself, by its commands: sbatch and squeue (their manual pages tell the forms;
 * seen with Slurm 22.05). */
#ifndef GRADER_SLURM_QUEUE_H
#define GRADER_SLURM_QUEUE_H

#include "runtime/base/base.h"

/* Tasks of one array; Slurm's own limit, MaxArraySize, is 1001 unless the administrator said
 * otherwise. */
enum { GR_ARRAY = 1000 };

/* Whether sbatch and squeue are here; false with a sentence. */
bool gr_queue_check(wb_error *err);

/* Hands in `n` tasks as the array NAME-part; each runs `script` with `args` (NULL-terminated) in
 * `folder` and writes its log to logs/ there. What the site needs besides (partition, account,
 * time) comes from the variables SBATCH_*, as sbatch reads them. */
bool gr_queue_send(const char *folder, const char *name, size_t part, size_t n, bool gpu,
                   const char *script, const char *const *args, wb_error *err);

/* What Slurm says of task `i` of the arrays NAME-*: its state ("RUNNING"), and why it waits. */
typedef void gr_queue_seen(void *ctx, size_t i, const char *state, const char *reason);
/* Asks for the tasks of `parts` arrays, those that ended some minutes ago too. False with *err
 * where Slurm does not answer: nothing is known then. */
bool gr_queue_ask(const char *name, size_t parts, gr_queue_seen *seen, void *ctx, wb_error *err);

/* Whether a task in this state will run no more. */
bool gr_queue_over(const char *state);

#endif
