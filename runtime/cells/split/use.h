/* use.h: what a program does with the value of a call, by the program's text. */
#pragma once

#include "runtime/cells/split/expand.h"

typedef enum wb_use {
    WB_USE_UNKNOWN,  /* the line has no such call */
    WB_USE_TAKEN,    /* assigned, compared, passed on, shown */
    WB_USE_RETURNED, /* the caller decides */
    WB_USE_VOID,     /* cast to void */
    WB_USE_DROPPED,
} wb_use;

/* Finds calls of `callee` (without namespace and template arguments; "": any call) in the line,
 * from 1, or in a statement that reaches into it. Returns the largest use of several. `find`
 * returns macro definitions. For WB_USE_RETURNED, may set *function to the name of the function
 * that returns the value ("" for a lambda); the caller frees it. */
wb_use wb_use_of_call(const char *code, int line, const char *callee, wb_macro_find find, void *ctx,
                      char **function);
