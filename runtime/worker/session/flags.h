/* flags.h: a session's nvcc flags (%flags), with paths relative to the notebook's folder. */
#pragma once

#include "runtime/base/base.h"

/* Returns a copy, NULL-terminated, or NULL if memory runs out. Free it with wb_flags_free. nvcc
 * runs in another folder than the notebook's, `cwd` (NULL: this process's). So relative paths after
 * -I, -isystem, -include, -L and names of objects and libraries get that folder. */
char **wb_flags_copy(const char *const *flags, const char *cwd);
void wb_flags_free(char **flags);

/* Returns all flags: the session's, -I of the notebook's folder for #include "...", where the
 * linker finds the libraries of other cells, and the unit's own (NULL: none). The caller frees the
 * array and *include; the strings are borrowed.
 *
 * With `guarded`, the first flags turn beginners' mistakes into errors with a line: bounds checks
 * in the standard library, stack overflows for endless tail calls, missing returns. Measured code
 * is compiled without them. */
const char **wb_flags_all(char *const *flags, const char *cwd, char *const *own, bool guarded,
                          char **include);
