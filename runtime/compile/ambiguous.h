/* ambiguous.h: names that a cell's compiler finds twice. After "using namespace std;" a variable
 * count at file scope, where the variables of a notebook stand, is ambiguous with std::count; as a
 * local variable, which is how a cell reads, it would hide it. So the compiler is asked, and where
 * it says so, the notebook's is meant. */
#ifndef WARPBOOK_COMPILE_AMBIGUOUS_H
#define WARPBOOK_COMPILE_AMBIGUOUS_H

#include "runtime/compile/cellgen.h"
#include "runtime/compile/compile.h"

/* The cell again (malloc'd, *own_len bytes), with "::" before the names that the compiler called
 * ambiguous and that the notebook has; NULL when there are no more than the *n at *at, which is
 * malloc'd and grows. The diagnostics quote the cell `number` as it was written (tidy.h). */
char *wb_ambiguous_resolve(const wb_cellgen *gen, const wb_unit *unit,
                           const wb_compile_result *compiled, int number, const char *code,
                           size_t len, size_t **at, size_t *n, size_t *own_len);

#endif
