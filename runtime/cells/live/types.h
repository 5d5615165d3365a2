/* types.h: the types of a cell's variables, as the compiler deduced them. Its words for them
 * (__PRETTY_FUNCTION__) are left in the library, as markers that cellgen.c wrote into the unit. */
#ifndef WARPBOOK_CELLS_TYPES_H
#define WARPBOOK_CELLS_TYPES_H

#include "runtime/cells/split/split.h"

/* The linker's name of a mangled variable, or of a binding's reference: _ZN1n14__wb_binding_aE.
 * tag: "", or WB_TYPES_TAG if its type has std::string in it. malloc'd. */
#define WB_TYPES_TAG "B5cxx11"
char *wb_types_symbol(const wb_entity *e, const char *tag);

/* Gives every variable of the split its type; one whose type has no name that another cell could
 * use becomes hidden. */
void wb_types_find(wb_split *split, const char *library);

/* Corrects which variables have an ABI tag, by the library's symbols, a line each. Hides prototypes
 * that are variables to the compiler: "std::vector<int> v(A::n);". A later cell that repeated one
 * would have another variable. */
void wb_types_hide_vexing(wb_split *split, const char *symbols);

#endif
