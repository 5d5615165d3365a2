/* traceback.h: describes how a cell ended, for the notebook. */
#ifndef WARPBOOK_TRACEBACK_H
#define WARPBOOK_TRACEBACK_H

#include "runtime/compile/compile.h"
#include "runtime/worker/words/listing.h"
#include "runtime/worker/client/worker.h"

/* These fill status, ename, evalue and traceback of an all-zero result. */
/* `lead` is a sentence to put before the compiler's messages, or NULL. */
void wb_traceback_compile(wb_result *result, const wb_compile_result *compiled, int cell,
                          const char *lead);
void wb_traceback_plain(wb_result *result, const char *ename, const char *text);
/* `lost`: the state is lost, and the traceback says so. program: the outcome is a program's. */
void wb_traceback_outcome(wb_result *result, const wb_outcome *outcome, const wb_listing *listing,
                          int cell, bool program, bool lost);

/* Writes "cell [3], line 7: " in the user's language, or the part that is known. */
void wb_traceback_place(char *to, size_t size, const char *file, int line);

/* Adds that the cell ended before it created `names` ("x and y"; NULL adds nothing). */
void wb_traceback_missing(wb_result *result, const char *names);

/* Returns the warnings as a MIME bundle (text/plain and text/html), or NULL. */
json_t *wb_traceback_warnings(const wb_compile_result *compiled);

#endif
