/* specifiers.h: macros that stand for words before a declaration (`#define HD __host__ __device__`,
 * `#define KERNEL __global__ void`). A parser without a preprocessor takes them for types, and a
 * device function for one of the host. */
#ifndef WARPBOOK_CELLS_SPECIFIERS_H
#define WARPBOOK_CELLS_SPECIFIERS_H

#include "runtime/base/base.h"

/* The #define that is in force at byte `at` of the text, from its # on; NULL: there is none, or it
 * can't be told. */
typedef const char *(*wb_specifiers_find)(void *ctx, const char *name, size_t len, size_t at);

/* The text with such macros in full wherever they are used; malloc'd, *out_len bytes on the same
 * lines, NULL when memory ran out. */
char *wb_specifiers_expand(const char *text, size_t len, wb_specifiers_find find, void *ctx,
                           size_t *out_len);

#endif
