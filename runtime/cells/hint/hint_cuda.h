/* hint_cuda.h: what CUDA's newcomers and older courses write, and what to write instead. */
#ifndef WARPBOOK_CELLS_HINT_CUDA_H
#define WARPBOOK_CELLS_HINT_CUDA_H

#include "runtime/cells/live/live.h"

/* A sentence (malloc'd) for the compiler's text, or NULL; as wb_hint. */
char *wb_hint_cuda(const char *text, const char *excerpt);
/* The remedy (malloc'd) for a warning that the host uses a device variable directly, or NULL. */
char *wb_hint_warning(const char *text);
/* Whether the error only follows from one that has its sentence. */
bool wb_hint_is_told(const char *text);
/* The name that is nearly the unknown one, in a sentence, or NULL. */
char *wb_hint_spelling(const wb_live *live, const wb_split *own, const char *text);

#endif
