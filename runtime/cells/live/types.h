/* types.h: the types of a cell's variables, as the compiler deduced them. The unit has markers
 * (from cellgen.c) that leave the compiler's text (__PRETTY_FUNCTION__) in the library. */
#pragma once

#include "runtime/cells/split/split.h"

/* Returns the linker's name of a mangled variable, or of a binding's reference:
 * _ZN1n14__wb_binding_aE. tag: "", or WB_TYPES_TAG if its type contains std::string. malloc'd. */
#define WB_TYPES_TAG "B5cxx11"
char *wb_types_symbol(const wb_entity *e, const char *tag);

/* Gives every variable of the split its type. Hides those whose type other cells can't name. */
void wb_types_find(wb_split *split, const char *library);

/* Corrects which variables have an ABI tag, by the library's symbols, one a line. Hides prototypes
 * that are variables to the compiler: "std::vector<int> v(A::n);". A later cell that repeated one
 * would have another variable. */
void wb_types_hide_vexing(wb_split *split, const char *symbols);
