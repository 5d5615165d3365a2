/* carry.h: earlier functions and kernels that a cell has to compile again, because it redefines
 * what was compiled into them: device code, templates, types, constants. The unit carries their
 * bodies, so that one compilation makes all of them use the new definition. */
#pragma once

#include "runtime/cells/live/live.h"

/* Returns a mark for each live entity to carry, malloc'd; NULL if memory runs out. */
bool *wb_carry_find(const wb_live *live, const wb_split *split);

/* Returns the warnings about what keeps using the old form of something that `split` changes, one a
 * line, malloc'd, or NULL. `carried` marks what is compiled again. Chains must be known. */
char *wb_carry_kept(const wb_live *live, const wb_split *split, const bool *carried);
