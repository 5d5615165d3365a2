/* tokens.h: a program's tokens without comments, blanks and includes. All of the author's names are
 * one kind, and all numbers are one kind. So renaming and reformatting change nothing. */
#pragma once

#include "runtime/base/base.h"

typedef struct gr_token {
    uint32_t kind; /* equal for tokens that count as the same */
    int line;      /* line of the text, from 1 */
} gr_token;

typedef struct gr_tokens {
    gr_token *list;
    size_t n;
    bool failed; /* memory ran out */
} gr_tokens;

/* Accepts any text, also text that is not CUDA C++. */
gr_tokens gr_tokens_of(const char *text);
void gr_tokens_free(gr_tokens *tokens);
