/* overload.h: which of several functions of one name a symbol is of, by the types of its
 * parameters. */
#ifndef WARPBOOK_CELLS_OVERLOAD_H
#define WARPBOOK_CELLS_OVERLOAD_H

#include "runtime/cells/split/split.h"

/* Whether the symbol's parameters read like those of the function's key, as far as words tell:
 * "unsigned long" is "size_t", and the arguments of templates do not count. */
bool wb_overload_is(const wb_entity *function, const char *symbol);

/* The letters by which symbols know an operator, "pl" of "operator+": all pairs that it may have,
 * one behind the other; NULL: it is none that is linked by such a name. */
const char *wb_operator_letters(const char *name);
/* The operator whose letters stand at p, "operator+"; NULL: none do. */
const char *wb_operator_name(const char *p);

#endif
