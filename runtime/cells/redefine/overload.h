/* overload.h: decides by parameter types which function of one name a symbol belongs to. */
#pragma once

#include "runtime/cells/split/split.h"

/* Returns the C++ name of a symbol; NULL if it has none. The caller frees it. */
char *wb_overload_plain(const char *symbol);

/* Returns true if the symbol's parameters match those of the function's key, as far as words show:
 * "unsigned long" is "size_t", and template arguments do not count. */
bool wb_overload_is(const wb_entity *function, const char *symbol);

/* Returns the letters of an operator in symbols, "pl" for "operator+". All pairs that it may have
 * are concatenated. NULL: it is not linked by such a name. */
const char *wb_operator_letters(const char *name);
/* Returns the operator whose letters are at p, "operator+", or NULL. */
const char *wb_operator_name(const char *p);
