/* before.h: a cell that uses something of an earlier cell and redefines it further down: "int
 * before = n; double n = 2.5;". Until then the earlier one counts. */
#pragma once

#include "runtime/cells/live/live.h"

/* Prefix of the earlier variable's name in the pieces before the new definition. */
#define WB_BEFORE "__wb_before_"

/* Sets `after_use` of the split's entities for which that holds. `code` is the cell's text. */
void wb_before_mark(const wb_live *live, wb_split *split, const char *code);

/* Appends the text of the item with that index, with the variables renamed. */
void wb_before_rename(wb_buf *out, const wb_split *split, size_t item, const char *text,
                      size_t len);

/* Returns the declaration of an earlier constant, or of a lambda without captures, under its other
 * name. The caller frees it. */
char *wb_before_text(const wb_entity *old);
