/* growth.h: macros that grow without end. What a preprocessor may take, so that one that repeats
 * what another repeats ends in an error, and which line it was. */
#ifndef WARPBOOK_COMPILE_GROWTH_H
#define WARPBOOK_COMPILE_GROWTH_H

#include "runtime/base/base.h"

/* What one preprocessor may write, hold and compute: all of Thrust, CUB and cooperative groups come
 * to 12 MB, with 160, in half a second. */
enum { WB_GROWTH_MB = 64, WB_GROWTH_MEMORY_MB = 512, WB_GROWTH_CPU_S = 10 };

/* Appends, for a shell, the command within these limits; and, to stand behind it, a test of its
 * status $r and its words in the file `log`: whether it ended by one of them, or of memory. */
void wb_growth_limit(wb_buf *out, const char *command);
void wb_growth_test(wb_buf *out, const char *log);

typedef struct wb_growth {
    const char *exports; /* lines for the shell, before the command */
    const char *command; /* the preprocessor's, which reads "source" */
    const char *source;  /* a file in cwd */
    const char *cwd;
    const volatile int *stop; /* as in wb_proc_spec */
} wb_growth;

/* An error in a compiler's form that names the first line with which the command passes limits like
 * these; without a line where none does any more. Some seconds of CPU for each halving of the
 * source. Malloc'd; NULL: memory ran out, or *stop. */
char *wb_growth_error(const wb_growth *growth);

#endif
