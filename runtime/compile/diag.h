/* diag.h: reads what nvcc and the tools behind it print: cudafe++ and cicc ("file(3): error: ..."),
 * gcc ("file:3:7: error: ..."), ptxas, nvlink and ld. */
#ifndef WARPBOOK_COMPILE_DIAG_H
#define WARPBOOK_COMPILE_DIAG_H

#include "runtime/compile/compile.h"

/* Fills result->diagnostics from result->log. False when memory ran out. */
bool wb_diag_parse(wb_compile_result *result);

/* `log` with the temporary names taken out: `folder` and its slash, and nvcc's tmpxft_* prefixes.
 * malloc'd; NULL when memory ran out. */
char *wb_diag_clean(const char *log, const char *folder);

#endif
