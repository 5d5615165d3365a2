/* unfinished.h: what a cell would have defined if an exception or an interrupt had not ended it. */
#pragma once

#include "runtime/cells/live/live.h"

/* Hides what a cell did not define, with a reason. Only its first `finished` items ran to their
 * end. Variables of the others were never initialised, and functions that use one can't be called.
 * An earlier cell's live variable of that name stays if it has a symbol of its own. Returns all the
 * names as "x, y and f", malloc'd; NULL: none. */
char *wb_unfinished(wb_split *split, const wb_live *live, const char *code, size_t finished);
