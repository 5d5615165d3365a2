/* child.h: child processes of a cell. Their output is shown live, and an interrupt ends them. */
#pragma once

#include "jupyter_kernel/execution/execution.h"

/* Runs argv to its end and shows its output on the cell's streams. The front end answers reads from
 * stdin. `env` changes the environment (see wb_proc_spec; NULL: no change). Returns false, noted in
 * the execution, if the child could not start or was interrupted. *exit_code and *signal are
 * set. */
bool child_show(execution *x, const char *const *argv, const char *const *env, int *exit_code,
                int *signal);

/* Runs argv to its end and hands over its standard output line by line, borrowed and without the
 * newline. Returns false, noted in the execution, if it could not start, was interrupted, or failed
 * with a status other than 1. The error's text is what it wrote to stderr. */
bool child_lines(execution *x, const char *const *argv, void (*line)(void *ctx, const char *text),
                 void *ctx);
