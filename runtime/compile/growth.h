/* growth.h: finds macros that multiply, for which the preprocessor would take hours. */
#pragma once

#include "runtime/base/scoped.h"

typedef struct wb_growth {
    const char *const *preprocess; /* a command that preprocesses its input; NULL-terminated */
    const char *text;              /* a cell's unit, with its #line directives */
    const char *cwd;
    const volatile int *stop; /* as in wb_proc_spec */
} wb_growth;

/* Returns a compiler's error with the line whose macros grow, "FILE(LINE): error: ...", malloc'd;
 * NULL: none grows, or *stop was set. Preprocesses the text if it has macros with arguments. */
char *wb_growth_error(const wb_growth *growth);
