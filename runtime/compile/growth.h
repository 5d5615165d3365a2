/* growth.h: macros that multiply. The preprocessor would take hours over them, and does not say
 * which line it is in. */
#ifndef WARPBOOK_COMPILE_GROWTH_H
#define WARPBOOK_COMPILE_GROWTH_H

#include "runtime/base/base.h"

typedef struct wb_growth {
    const char *const *preprocess; /* a command that preprocesses its input; NULL-terminated */
    const char *text;              /* a cell's unit, with its #line directives */
    const char *cwd;
    const volatile int *stop; /* as in wb_proc_spec */
} wb_growth;

/* A compiler's error that names the line whose macros grow, as "FILE(LINE): error: ..."; malloc'd.
 * NULL: none grows, or *stop was set. A text without macros that take arguments costs nothing; any
 * other one is preprocessed. */
char *wb_growth_error(const wb_growth *growth);

#endif
