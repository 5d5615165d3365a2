/* attempt.h: a fill-in step's answer, tried: compiled once, with the step's check behind it, as a
 * program of its own, on inputs drawn anew; then its counts are looked at. Nothing of it stays in
 * the notebook, and what the notebook defines is not there. */
#ifndef WARPBOOK_KERNEL_ATTEMPT_H
#define WARPBOOK_KERNEL_ATTEMPT_H

#include "jupyter_kernel/execution/execution.h"
#include "jupyter_kernel/steps/lesson.h"

typedef enum attempt_kind {
    ATTEMPT_EMPTY,  /* ____ is still there, or the cell is as it was given: nothing was run */
    ATTEMPT_UNFIT,  /* no answer to this step: nothing was run */
    ATTEMPT_FAILED, /* did not compile, crashed: noted in the execution */
    ATTEMPT_WRONG,
    ATTEMPT_RIGHT
} attempt_kind;

/* code: the cell's text below its first line, which is line `line` of the cell. seed: what the
 * inputs are drawn by. *say: what is to be said, malloc'd. */
attempt_kind attempt_run(execution *x, const lesson *l, const json_t *step, const char *code,
                         size_t len, int line, unsigned long seed, char **say);

#endif
