/* child.h: child processes of a cell: what they print is shown while they run, and an interrupt
 * ends them. */
#ifndef WARPBOOK_KERNEL_CHILD_H
#define WARPBOOK_KERNEL_CHILD_H

#include "jupyter_kernel/execution/execution.h"

/* Runs argv to its end, with `env` laid over the environment (as in wb_proc_spec; NULL: as it is),
 * its output on the cell's streams; who reads stdin is answered by the front end. False (noted in
 * the execution) when it could not be started or was interrupted; its own failure is in *exit_code
 * and *signal. */
bool child_show(execution *x, const char *const *argv, const char *const *env, int *exit_code,
                int *signal);

/* The same, its standard output handed over line by line (without the newline; borrowed), what it
 * writes to stderr kept: an error of its own is noted with that text. */
bool child_lines(execution *x, const char *const *argv, void (*line)(void *ctx, const char *text),
                 void *ctx);

#endif
