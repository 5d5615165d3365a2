/* late.h: what of earlier cells has to stand behind something that the cell defines anew: a
 * template t that uses a constant N, where the cell says "constexpr int N = 8; t(1)". */
#ifndef WARPBOOK_CELLS_LATE_H
#define WARPBOOK_CELLS_LATE_H

#include "runtime/cells/live/live.h"

/* How many items of the cell come before its entity is there: 1 for what the first defines. */
int wb_late_item_of(const wb_split *split, const wb_entity *e);

/* For each of the n entities that are needed, in order, how many of the items of the cell, whose
 * text `code` is, stand before it; malloc'd, NULL when memory ran out. */
int *wb_late_find(const wb_live *live, const wb_split *split, const char *code,
                  const size_t *needed, size_t n);

#endif
