/* words.h: the words of CUDA C++ that no header declares: keywords, built-in variables, and the
 * device functions that courses use. */
#pragma once

#include <stddef.h>

typedef struct word {
    const char *name;
    const char *type;  /* "variable", "function", "qualifier" */
    const char *usage; /* how it is written, or "" */
    const char *brief; /* a sentence, or "" */
} word;

extern const char words_keywords[]; /* the keywords of C++, separated by blanks */

/* Ordered by kind, not by name. */
const word *words_all(size_t *n);
const word *words_find(const char *name, size_t len);
