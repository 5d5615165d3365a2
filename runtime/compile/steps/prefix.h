/* prefix.h: what the host's compiler reads is, for 99 lines of 100, what cudafe++ makes of
 * cuda_runtime.h and the headers of a notebook, the same for cell after cell. gcc keeps that as a
 * precompiled header, under wb_path_cache("prefix"), and takes half the time. */
#ifndef WARPBOOK_COMPILE_PREFIX_H
#define WARPBOOK_COMPILE_PREFIX_H

#include "runtime/base/base.h"

typedef struct wb_prefix {
    char *command;     /* compiles the file as it now is, in the words of `plain`; NULL: not kept */
    char *restore;     /* puts the file back as it was: then `plain` may compile it after all */
    char *build;       /* makes the prefix ready for the compilations to come; NULL: no need */
    char *made, *kept; /* where `build` leaves it, and where wb_prefix_keep moves it */
} wb_prefix;

/* `plain` is the command that compiles `file` (both in `folder`), which cudafe++ has written. Where
 * the file's prefix is kept, and undamaged, the file becomes the rest of itself. The first three
 * are lines for a shell. */
wb_prefix wb_prefix_take(const char *file, const char *plain, const char *folder);
/* After `build` has run: keeps what it made, with a checksum, if it made anything. */
void wb_prefix_keep(const wb_prefix *prefix);
void wb_prefix_free(wb_prefix *prefix);

#endif
