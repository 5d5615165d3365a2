/* hint_other.h: lines of other languages, as notebooks for IPython have them beside CUDA. */
#ifndef WARPBOOK_CELLS_HINT_OTHER_H
#define WARPBOOK_CELLS_HINT_OTHER_H

/* A sentence (malloc'd) where the line is Python's or the shell's, or NULL. `excerpt`: the line
 * that the compiler quotes, with a caret below, or NULL. */
char *wb_hint_other(const char *excerpt);

#endif
