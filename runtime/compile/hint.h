/* hint.h: what a student can do about an error that the compiler's words leave open. */
#ifndef WARPBOOK_COMPILE_HINT_H
#define WARPBOOK_COMPILE_HINT_H

#include "runtime/compile/live.h"

/* A sentence (malloc'd) for the compiler's text, or NULL. `own` is what the cell itself defines, or
 * NULL; `excerpt` the line that the compiler quotes with a caret below, or NULL. */
char *wb_hint(const wb_live *live, const wb_split *own, const char *text, const char *excerpt);

#endif
