/* chains.h: what is one thing however often it is defined. A function, a kernel or a variable that
 * replaces one of the same type is of its chain: code of earlier cells, compiled long ago, uses the
 * newest of a chain (runtime/worker/process/redefine.c). With another type it begins a chain of its
 * own, and earlier code keeps what it was compiled with. */
#ifndef WARPBOOK_CELLS_CHAINS_H
#define WARPBOOK_CELLS_CHAINS_H

#include <jansson.h>
#include "runtime/cells/live/live.h"

typedef struct wb_chains {
    uint64_t *v; /* n: what each chain is of; chain 1 is the first */
    size_t n;
} wb_chains;

void wb_chains_free(wb_chains *chains);

/* The symbols of what the entity defines, as the linker's pattern, malloc'd; NULL where no code
 * that was linked can be given another. */
char *wb_chain_pattern(const wb_entity *e);

/* Gives the chains to `own`, what a unit's cell defines, with the types of its variables. */
void wb_chains_give(wb_chains *chains, const wb_live *live, wb_split *own);

/* Notes the symbols of own's functions. Tells those of the symbols that its library defines,
 * {symbol: [chain, item]}, of its own and of what it carries, and uses, {symbol: [chain]}; a line
 * each. An item is how many of the cell's have to run before a variable is there, of functions 0. A
 * new reference. */
json_t *wb_chains_binds(const wb_live *live, wb_split *own, const char *defined, const char *used);

#endif
