/* diag.h: reads the output of nvcc and its tools: cudafe++ and cicc ("file(3): error: ..."), gcc
 * ("file:3:7: error: ..."), ptxas, nvlink and ld. */
#pragma once

#include "runtime/compile/compile.h"

/* Fills result->diagnostics from result->log. Returns false if memory runs out. */
bool wb_diag_parse(wb_compile_result *result);

/* Returns `log` without temporary names: `folder` and its slash, and nvcc's tmpxft_* prefixes.
 * malloc'd; NULL if memory runs out. */
char *wb_diag_clean(const char *log, const char *folder);
