/* hint_slip.h: slips of the pen that the compiler names without a remedy. */
#ifndef WARPBOOK_CELLS_HINT_SLIP_H
#define WARPBOOK_CELLS_HINT_SLIP_H

#include "runtime/base/base.h"

/* A sentence (malloc'd) for the compiler's text, or NULL; as wb_hint. */
char *wb_hint_slip(const char *text, const char *excerpt);

/* Likewise where the unknown name is one of the cell's, `code`, that is not known at that place; or
 * is nearly one. */
char *wb_hint_local(const char *code, const char *text);
char *wb_hint_near(const char *code, const char *text);

#endif
