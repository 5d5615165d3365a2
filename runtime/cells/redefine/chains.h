/* chains.h: which definitions are one thing. A function, kernel or variable that replaces one of
 * the same type joins its chain: code of earlier cells, compiled long ago, uses the newest of a
 * chain (runtime/worker/process/redefine.c). With another type it begins a new chain, and earlier
 * code keeps what it was compiled with. */
#pragma once

#include <jansson.h>
#include "runtime/cells/live/live.h"

typedef struct wb_chains {
    uint64_t *v; /* n: the identity of each chain; chain 1 is the first */
    size_t n;
} wb_chains;

void wb_chains_free(wb_chains *chains);

/* Returns the linker's pattern for the symbols that the entity defines, malloc'd; NULL if linked
 * code can't be rebound. */
char *wb_chain_pattern(const wb_entity *e);

/* Gives chains to `own`, the definitions of a unit's cell, whose variables have types. */
void wb_chains_give(wb_chains *chains, const wb_live *live, wb_split *own);

/* Records the symbols of own's functions. Returns {symbol: [chain, item]} for the symbols that its
 * library defines (its own and carried ones), and {symbol: [chain]} for those that it uses; a new
 * reference. Both lists have one symbol a line. `item` is the number of the cell's items that must
 * run before a variable exists; 0 for functions. */
json_t *wb_chains_binds(const wb_live *live, wb_split *own, const char *defined, const char *used);
