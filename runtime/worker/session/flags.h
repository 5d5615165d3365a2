/* flags.h: nvcc's flags of a session: those of %flags, with paths that are the notebook's. */
#ifndef WARPBOOK_FLAGS_H
#define WARPBOOK_FLAGS_H

#include "runtime/base/base.h"

/* A copy, NULL-terminated, to be freed with wb_flags_free; NULL when memory ran out. nvcc runs in
 * another folder than the notebook's, `cwd` (NULL: this process's), so paths behind -I, -isystem,
 * -include, -L and names of objects and libraries that are relative are that folder's. */
char **wb_flags_copy(const char *const *flags, const char *cwd);
void wb_flags_free(char **flags);

/* The flags, -I of the notebook's folder for #include "...", where the linker finds the libraries
 * of cells that a cell's library needs itself (it runs in their folder), and the unit's own (NULL:
 * none). The array is malloc'd, its strings borrowed; *include is malloc'd. With
 * `guarded`, flags come first that make beginners' mistakes stop with a line: bounds checks in the
 * standard library, a stack overflow in place of an endless tail call, an error for a missing
 * return. Code that is measured is compiled without them. */
const char **wb_flags_all(char *const *flags, const char *cwd, char *const *own, bool guarded,
                          char **include);

#endif
