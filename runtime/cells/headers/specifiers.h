/* specifiers.h: expands macros for words before a declaration (`#define HD __host__ __device__`,
 * `#define KERNEL __global__ void`). A parser without a preprocessor takes them for types, and a
 * device function for a host function. */
#pragma once

#include "runtime/base/base.h"

/* Returns the #define in force at byte `at` of the text, from its # on. NULL: none, or unknown. */
typedef const char *(*wb_specifiers_find)(void *ctx, const char *name, size_t len, size_t at);

/* Returns the text with such macros expanded, malloc'd, *out_len bytes on the same lines. NULL if
 * memory runs out. */
char *wb_specifiers_expand(const char *text, size_t len, wb_specifiers_find find, void *ctx,
                           size_t *out_len);
