/* late.h: earlier definitions that must follow something that the cell redefines: a template t that
 * uses a constant N, if the cell says "constexpr int N = 8; t(1)". */
#pragma once

#include "runtime/cells/live/live.h"

/* Returns how many items of the cell must run before its entity exists: 1 for the first one's. */
int wb_late_item_of(const wb_split *split, const wb_entity *e);

/* For each of the n needed entities, in order, returns how many items of the cell precede it.
 * `code` is the cell's text. malloc'd; NULL if memory runs out. */
int *wb_late_find(const wb_live *live, const wb_split *split, const char *code,
                  const size_t *needed, size_t n);
