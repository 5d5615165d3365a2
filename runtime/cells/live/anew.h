/* anew.h: definitions that replace one of the same type. */
#ifndef WARPBOOK_CELLS_ANEW_H
#define WARPBOOK_CELLS_ANEW_H

#include "runtime/cells/split/split.h"

/* What a function gives back, in words: what stands before its name, marks aside, and behind its
 * parameters; malloc'd. */
char *wb_anew_result(const wb_entity *function);

/* Whether `split` defines the function, kernel or variable anew with the same head, so that the old
 * declaration may stand before the new definition, for what is repeated there and uses it. */
bool wb_anew_may_announce(const wb_entity *old, const wb_split *split);

#endif
