/* hint.h: what a student can do about an error that the compiler's words leave open. */
#ifndef WARPBOOK_CELLS_HINT_H
#define WARPBOOK_CELLS_HINT_H

#include "runtime/cells/live/live.h"

/* The length of the name, at *name, of a header's function that the compiler finds a declaration
 * incompatible with; 0: its text says something else. */
size_t wb_hint_library_name(const char *text, const char **name);

/* Returns a sentence if the text reports a name as unknown because the cell defines it, or a type
 * that it was made with, anew; or NULL. The caller frees it. */
char *wb_hint_anew(const wb_live *live, const wb_split *own, const char *text);

/* A sentence (malloc'd) for the compiler's text, or NULL. `own` is what the cell itself defines, or
 * NULL; `excerpt` the line that the compiler quotes with a caret below, or NULL. */
char *wb_hint(const wb_live *live, const wb_split *own, const char *text, const char *excerpt);

#endif
