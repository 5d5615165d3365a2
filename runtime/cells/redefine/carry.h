/* carry.h: earlier functions and kernels that a cell has to compile again, since it defines anew
 * what was compiled into them: code for the device, templates, types, constants. The unit carries
 * their bodies, so that with one run of the compiler all of them use the new definition. */
#ifndef WARPBOOK_CELLS_CARRY_H
#define WARPBOOK_CELLS_CARRY_H

#include "runtime/cells/live/live.h"

/* Marks, one for each live entity, malloc'd; NULL when memory ran out. */
bool *wb_carry_find(const wb_live *live, const wb_split *split);

/* What of earlier cells keeps using something that `split` has made something else, though it looks
 * the same by name: in words for people, a line each, malloc'd, or NULL. `carried`: marks of what
 * is compiled again; chains are known (chains.h). */
char *wb_carry_kept(const wb_live *live, const wb_split *split, const bool *carried);

#endif
