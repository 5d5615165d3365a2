/* statics.h: which variables of templates, classes and inline functions, and which of their
 * functions' addresses, all cells share. Every cell that uses such a thing repeats its text, and so
 * has its own copy; a program has one. Two cells' symbols are the same, and have one version, if
 * nothing that they are made from was redefined in between. The worker binds them by version
 * (runtime/worker/process/statics.c). */
#pragma once

#include <jansson.h>
#include "runtime/cells/live/live.h"

typedef struct wb_statics {
    struct wb_static *v; /* n: the last version of each symbol */
    size_t n;
    long versions; /* number of versions so far */
} wb_statics;

void wb_statics_free(wb_statics *statics);

/* Returns {symbol: version} for the symbols of a unit, one a line: its variables, and after '&'
 * functions, whose version also depends on their bodies; a new reference. Leaves out names that are
 * not C++. `own` is what its cell defines, `cell` its future index in live. */
json_t *wb_statics_versions(wb_statics *statics, const wb_live *live, const wb_split *own,
                            size_t cell, const char *symbols);
