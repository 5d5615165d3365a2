/* expand.h: expands the notebook's macros as the preprocessor does: arguments, # and ##, macros in
 * macros. Does not expand macros of headers. */
#pragma once

#include "runtime/base/scoped.h"

/* Returns the directive "#define name(a, b) ..." of a macro, from its # on, or NULL. More text may
 * follow it. */
typedef const char *(*wb_macro_find)(void *ctx, const char *name, size_t len);

/* Return true if the macro of this directive has parameters, or pastes (##). */
bool wb_macro_takes_arguments(const char *define);
bool wb_macro_pastes(const char *define);

/* Returns the length of the comment, literal or directive at p, or 0. */
size_t wb_code_skip(const char *p);
/* Returns the length of the literal whose quote is at p. An unclosed one ends with its line. */
size_t wb_code_literal(const char *p, bool *closed);
/* Returns the ')' that belongs to the '(' at p, or NULL. */
const char *wb_code_closing(const char *p);

/* Returns the expanded text, malloc'd; NULL if memory runs out. */
char *wb_macro_expand(const char *text, size_t len, wb_macro_find find, void *ctx);
