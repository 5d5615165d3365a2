/* hint_include.h: which #include a cell lacks. */
#ifndef WARPBOOK_CELLS_HINT_INCLUDE_H
#define WARPBOOK_CELLS_HINT_INCLUDE_H

#include "runtime/base/base.h"

/* A sentence (malloc'd) that names the header of what the compiler does not know, or NULL. `text`
 * is the compiler's, `excerpt` the line it quotes with a caret below, or NULL. */
char *wb_hint_include(const char *text, const char *excerpt);

#endif
