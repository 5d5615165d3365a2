/* traceback.h: describes how a cell ended, for the notebook. */
#pragma once

#include "runtime/compile/compile.h"
#include "runtime/worker/words/listing.h"
#include "runtime/worker/client/worker.h"

/* These fill status, ename, evalue and traceback of an all-zero result. */
void wb_traceback_plain(wb_result *result, const char *ename, const char *text);
/* `lost`: the state is lost, and the traceback says so. program: the outcome is a program's. */
void wb_traceback_outcome(wb_result *result, const wb_outcome *outcome, const wb_listing *listing,
                          int cell, bool program, bool lost);

/* Adds that the cell ended before it created `names` ("x and y"; NULL adds nothing). */
void wb_traceback_missing(wb_result *result, const char *names);

/* Names what ended the cell. A device fault that was reported before stays the cell's error, and
 * this only adds a line. */
WB_PRINTF(4, 5)
void wb_traceback_begin(wb_result *result, wb_status status, const char *ename, const char *format,
                        ...);
/* Appends the text to the traceback, one entry for each line. */
WB_PRINTF(2, 3) void wb_traceback_add(wb_result *result, const char *format, ...);

#define RED "\x1b[31m"
#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"
#define PLAIN "\x1b[0m"
