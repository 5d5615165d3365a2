/* types.h: the types of a cell's variables, as the compiler deduced them. Its words for them
 * (__PRETTY_FUNCTION__) are left in the library, as markers that cellgen.c wrote into the unit. */
#ifndef WARPBOOK_CELLS_TYPES_H
#define WARPBOOK_CELLS_TYPES_H

#include "runtime/cells/split/split.h"

/* Gives every variable of the split its type; one whose type has no name that another cell could
 * use becomes hidden. */
void wb_types_find(wb_split *split, const char *library);

/* What was taken for a prototype, and is a variable to the compiler: "std::vector<int> v(A::n);".
 * Repeated in a later cell it would be another one. */
void wb_types_hide_vexing(wb_split *split, const char *symbols);

#endif
