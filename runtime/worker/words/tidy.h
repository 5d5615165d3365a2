/* tidy.h: takes the traces of how cells are made out of what compilers and the device say about
 * them: generated code, private folders, code of earlier cells that is compiled along. */
#ifndef WARPBOOK_TIDY_H
#define WARPBOOK_TIDY_H

#include "runtime/worker/words/traceback.h"

/* Drops warnings about anything but this cell (and the user's own headers), moves errors that
 * surface in generated code to the cell's last line, and quotes lines as they stand in the cell. */
void wb_tidy_diagnostics(wb_compile_result *compiled, const wb_names *names,
                         const wb_listing *listing, int cell, const char *code, size_t len);

/* Takes sessions' folders out of the outcome's texts, and writes "cell [3], line 2" and "timer.h,
 * line 5" for ":2" and ":5". */
void wb_tidy_outcome(wb_outcome *outcome, const wb_names *names, const wb_listing *listing);

#endif
