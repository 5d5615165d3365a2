/* expand.h: macros of the notebook's, expanded as the preprocessor would: arguments, # and ##,
 * macros in macros. What a header defines is left as it stands. */
#ifndef WARPBOOK_CELLS_EXPAND_H
#define WARPBOOK_CELLS_EXPAND_H

#include "runtime/base/base.h"

/* The directive "#define name(a, b) ..." of a macro, from its # on; NULL: there is none. */
typedef const char *(*wb_macro_find)(void *ctx, const char *name, size_t len);

/* Whether a macro's directive has parameters; whether its body pastes (##). */
bool wb_macro_takes_arguments(const char *define);
bool wb_macro_pastes(const char *define);

/* The length of the comment, literal or directive at p, or 0. */
size_t wb_code_skip(const char *p);
/* The ')' that belongs to the '(' at p, or NULL. */
const char *wb_code_closing(const char *p);

/* The text, expanded; malloc'd, NULL when memory ran out. */
char *wb_macro_expand(const char *text, size_t len, wb_macro_find find, void *ctx);

#endif
