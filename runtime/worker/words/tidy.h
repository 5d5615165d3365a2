/* tidy.h: removes traces of how cells are made from messages of compilers and the device: generated
 * code, private folders, code of earlier cells. */
#pragma once

#include "runtime/worker/words/traceback.h"

/* Drops warnings that are not about this cell or the user's headers. Moves errors in generated code
 * to the cell's last line. Quotes lines as the cell has them. */
void wb_tidy_diagnostics(wb_compile_result *compiled, const wb_names *names,
                         const wb_listing *listing, int cell, const char *code, size_t len);

/* Removes sessions' folders from the outcome's texts. Writes ":2" and ":5" as "cell [3], line 2"
 * and "timer.h, line 5". */
void wb_tidy_outcome(wb_outcome *outcome, const wb_names *names, const wb_listing *listing);
