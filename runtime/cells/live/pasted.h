/* pasted.h: names that no text contains: "#define CALL(n) run_##n()" makes run_all of CALL(all). */
#ifndef WARPBOOK_CELLS_PASTED_H
#define WARPBOOK_CELLS_PASTED_H

#include "runtime/cells/live/live.h"

/* Returns true if a macro of the notebook or the cell pastes names. */
bool wb_pasted_any(const wb_live *live, const wb_split *split);

/* Calls f for every word of the text after macro expansion. */
void wb_pasted_words(const wb_live *live, const wb_split *split, const char *text, size_t len,
                     void (*f)(void *ctx, const char *word, size_t len), void *ctx);

#endif
