/* attempt.h: tries the answer to a fill-in step. It compiles the answer and the step's check as one
 * program, runs it on random inputs, and then checks its counts. The program does not see the
 * notebook's definitions, and leaves nothing in the notebook. */
#pragma once

#include "jupyter_kernel/execution/execution.h"
#include "jupyter_kernel/steps/lesson.h"

typedef enum attempt_kind {
    ATTEMPT_EMPTY,  /* ____ is still there, or the cell is unchanged: not run */
    ATTEMPT_UNFIT,  /* not an answer to this step: not run */
    ATTEMPT_FAILED, /* did not compile or crashed; noted in the execution */
    ATTEMPT_WRONG,
    ATTEMPT_RIGHT
} attempt_kind;

typedef struct attempt_verdict {
    char *say;            /* the feedback, or NULL */
    const json_t *missed; /* the bound of the step's counts that is missed (borrowed), or NULL */
    const char *kernel;   /* with it: the kernel that misses it (borrowed) */
    wb_result shown;      /* with it: of a second run, which records the kernel for a picture */
} attempt_verdict;

/* code: the cell's text below its first line, which is line `line` of the cell. seed: for the
 * random inputs. */
attempt_kind attempt_run(execution *x, const lesson *l, const json_t *step, const char *code,
                         size_t len, int line, unsigned long seed, attempt_verdict *v);
void attempt_verdict_free(attempt_verdict *v);
