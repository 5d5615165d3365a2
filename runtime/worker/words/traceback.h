/* traceback.h: how a cell ended, in words: what the user reads in the notebook. */
#ifndef WARPBOOK_TRACEBACK_H
#define WARPBOOK_TRACEBACK_H

#include "runtime/compile/compile.h"
#include "runtime/worker/words/listing.h"
#include "runtime/worker/client/worker.h"

/* Each fills status, ename, evalue and traceback of an all-zero result. */
/* `lead`: the sentence that stands first, before the compiler's own; or NULL. */
void wb_traceback_compile(wb_result *result, const wb_compile_result *compiled, int cell,
                          const char *lead);
void wb_traceback_plain(wb_result *result, const char *ename, const char *text);
/* `lost`: the state is gone; the traceback says so. program: the outcome is of a whole program. */
void wb_traceback_outcome(wb_result *result, const wb_outcome *outcome, const wb_listing *listing,
                          int cell, bool program, bool lost);

/* Writes "cell [3], line 7: ", in the user's language, or what is known of it. */
void wb_traceback_place(char *to, size_t size, const char *file, int line);

/* Adds that the cell ended before it created `names` ("x and y"; NULL: nothing is added). */
void wb_traceback_missing(wb_result *result, const char *names);

/* Warnings of a successful compile as a MIME bundle (text/plain and text/html), or NULL: none. */
json_t *wb_traceback_warnings(const wb_compile_result *compiled);

#endif
