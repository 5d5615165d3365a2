/* directives.h: the preprocessor's lines in a text, and those of them that are known beforehand. */
#ifndef WARPBOOK_CELLS_DIRECTIVES_H
#define WARPBOOK_CELLS_DIRECTIVES_H

#include "runtime/base/base.h"

/* `#ifdef N // comment`: [start, end) of the text is all of the line, with the lines that it goes
 * on to, without the last line's end; `name` is "ifdef", `rest` "N", without comments and blanks
 * around it. */
typedef struct wb_directive {
    size_t start, end;
    const char *name, *rest;
    size_t name_len, rest_len;
} wb_directive;

/* Behind the literal whose quote stands at text[at]; one that is not closed ends with its line. */
size_t wb_literal_end(const char *text, size_t len, size_t at);

/* The directives outside comments and literals, in order: malloc'd, *n of them; NULL when memory
 * ran out. They point into the text. */
wb_directive *wb_directives(const char *text, size_t len, size_t *n);
bool wb_directive_is(const wb_directive *d, const char *name);

/* Whether the macro is defined where a text is read: 1, 0 or -1, it can't be told. */
typedef int (*wb_directives_known)(void *ctx, const char *name, size_t len);

/* Blanks, in place, what the compilation of a cell decides the same way each time: conditionals
 * like
 * `#ifdef __cplusplus` and `#if 0`, and those that ask for a macro that `known` tells of, with the
 * part that is not compiled; and in a header its include guard and `#pragma once`. Every line keeps
 * its place. *once: it is a header that has such, and
 * counts once a translation unit. False when memory ran out. */
bool wb_directives_fold(char *text, size_t len, bool header, wb_directives_known known, void *ctx,
                        bool *once);

#endif
