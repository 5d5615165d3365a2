/* pasted.h: names that no text contains: with "#define CALL(n) run_##n()", CALL(all) makes
 * run_all. */
#ifndef WARPBOOK_CELLS_PASTED_H
#define WARPBOOK_CELLS_PASTED_H

#include "runtime/cells/live/live.h"

/* Returns true if a macro of the notebook or the cell pastes names. */
bool wb_pasted_any(const wb_live *live, const wb_split *split);

/* Calls f for every word of the text after macro expansion. */
void wb_pasted_words(const wb_live *live, const wb_split *split, const char *text, size_t len,
                     void (*f)(void *ctx, const char *word, size_t len), void *ctx);

#endif
