/* statics.h: which variables of templates, classes and inline functions, and which of these
 * functions' addresses, are one over cells. Every cell that uses such a thing repeats its text, and
 * so has its static variables, too; in a program there is one of each. Two cells' variables of one
 * symbol are the same as long as nothing that they were made from was defined anew in between: they
 * have one version. The worker binds them by it (runtime/worker/process/statics.c). */
#ifndef WARPBOOK_CELLS_STATICS_H
#define WARPBOOK_CELLS_STATICS_H

#include <jansson.h>
#include "runtime/cells/live/live.h"

typedef struct wb_statics {
    struct wb_static *v; /* n, the last version of each symbol */
    size_t n;
    long versions; /* how many there ever were */
} wb_statics;

void wb_statics_free(wb_statics *statics);

/* {symbol: version} for the symbols of a unit's variables, a line each, and behind '&' of
 * functions, which are others where what their bodies use is; a new reference. Those that are no
 * C++ names are left out. `own` is what its cell defines, `cell` the index it will have in live. */
json_t *wb_statics_versions(wb_statics *statics, const wb_live *live, const wb_split *own,
                            size_t cell, const char *symbols);

#endif
