/* pasted.h: names that no text holds: "#define CALL(n) run_##n()" makes run_all of CALL(all). */
#ifndef WARPBOOK_CELLS_PASTED_H
#define WARPBOOK_CELLS_PASTED_H

#include "runtime/cells/live/live.h"

/* Whether a macro of the notebook's or of the cell's pastes names together. */
bool wb_pasted_any(const wb_live *live, const wb_split *split);

/* Calls f for every word that the text has once its macros are expanded. */
void wb_pasted_words(const wb_live *live, const wb_split *split, const char *text, size_t len,
                     void (*f)(void *ctx, const char *word, size_t len), void *ctx);

#endif
