/* tokens.h: a program as what it does: comments, blanks, includes and line ends gone, all names of
 * the author's alike, all numbers alike, so that renaming and reformatting change nothing. */
#ifndef GRADER_FEEDBACK_TOKENS_H
#define GRADER_FEEDBACK_TOKENS_H

#include "runtime/base/base.h"

typedef struct gr_token {
    uint32_t kind; /* equal for tokens that are taken for the same */
    int line;      /* in the text, from 1 */
} gr_token;

typedef struct gr_tokens {
    gr_token *list;
    size_t n;
    bool failed; /* memory ran out */
} gr_tokens;

/* Any text will do; what is no CUDA C++ gives some tokens too. */
gr_tokens gr_tokens_of(const char *text);
void gr_tokens_free(gr_tokens *tokens);

#endif
