/* use.h: what a program does with the value of a call, by the text of the program. */
#ifndef WARPBOOK_CELLS_USE_H
#define WARPBOOK_CELLS_USE_H

#include "runtime/cells/split/expand.h"

typedef enum wb_use {
    WB_USE_UNKNOWN,  /* the line has no such call */
    WB_USE_TAKEN,    /* assigned, compared, passed on, shown */
    WB_USE_RETURNED, /* the caller decides */
    WB_USE_VOID,     /* cast to void */
    WB_USE_DROPPED,
} wb_use;

/* Finds calls of `callee` (without namespace and template arguments; "": any call) in the line,
 * from 1, of the text, or in a statement that reaches into it. If there are several, returns the
 * largest of their uses. `find` gives the definitions of macros. For WB_USE_RETURNED, sets
 * *function to the name of the function that returns the value ("" of a lambda), which the caller
 * frees, or leaves it. */
wb_use wb_use_of_call(const char *code, int line, const char *callee, wb_macro_find find, void *ctx,
                      char **function);

#endif
