/* unfinished.h: what a cell would have defined had it not ended early, by an exception or an
 * interrupt. */
#ifndef WARPBOOK_CELLS_UNFINISHED_H
#define WARPBOOK_CELLS_UNFINISHED_H

#include "runtime/cells/live/live.h"

/* Only the first `finished` items of the cell ran to their end. Variables of the others were never
 * initialised, and functions that use one can't be called: they are hidden, with a sentence. But
 * where an earlier cell's variable of the name is live and has a symbol of its own, that one stays.
 * The names of all in words, "x, y and f", malloc'd; NULL: none. */
char *wb_unfinished(wb_split *split, const wb_live *live, const char *code, size_t finished);

#endif
