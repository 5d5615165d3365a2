/* directives.h: a text's preprocessor lines, and those whose outcome is known beforehand. */
#pragma once

#include "runtime/base/scoped.h"

/* A line such as `#ifdef N // comment`. [start, end) is the whole line with its continuations,
 * without the last line's end. `name` is "ifdef", `rest` is "N", without comments and blanks. */
typedef struct wb_directive {
    size_t start, end;
    const char *name, *rest;
    size_t name_len, rest_len;
} wb_directive;

/* Returns the end of the literal whose quote is text[at]. An unclosed one ends with its line. */
size_t wb_literal_end(const char *text, size_t len, size_t at);

/* Returns the *n directives outside comments and literals, in order, malloc'd; NULL if memory runs
 * out. They point into the text. */
wb_directive *wb_directives(const char *text, size_t len, size_t *n);
bool wb_directive_is(const wb_directive *d, const char *name);

/* Returns 1 if the macro is defined where the text is read, 0 if not, -1 if unknown. */
typedef int (*wb_directives_known)(void *ctx, const char *name, size_t len);

/* Blanks, in place, what is decided alike in every cell: conditionals like `#ifdef __cplusplus` and
 * `#if 0`, those on a macro that `known` knows, and the parts that they exclude. Of a header also
 * blanks its include guard and `#pragma once`, and then sets *once. Every line keeps its place.
 * Returns false if memory runs out. */
bool wb_directives_fold(char *text, size_t len, bool header, wb_directives_known known, void *ctx,
                        bool *once);
