/* tokens.h: the tokens of C++ text before preprocessing. */
#ifndef WARPBOOK_COMPILE_DIRECT_PARTS_TOKENS_H
#define WARPBOOK_COMPILE_DIRECT_PARTS_TOKENS_H

#include "runtime/base/scoped.h"

typedef enum wb_token_kind {
    WB_TOKEN_WORD, /* an identifier or a keyword */
    WB_TOKEN_NUMBER,
    WB_TOKEN_TEXT,      /* a string or character literal, also a raw one */
    WB_TOKEN_DIRECTIVE, /* a preprocessor line with its continuations, without the last newline */
    WB_TOKEN_SCOPE,     /* :: */
    WB_TOKEN_LAUNCH,    /* <<< */
    WB_TOKEN_SIGN       /* any other character */
} wb_token_kind;

typedef struct wb_token {
    wb_token_kind kind;
    const char *at;
    size_t len;
    size_t match; /* of a bracket: the index of its partner */
} wb_token;

typedef struct wb_tokens {
    wb_token *v;
    size_t n;
} wb_tokens;

/* Splits text[0..len), which must outlive the tokens. Returns false if a bracket or a literal is
 * unbalanced, or memory runs out. Free them with wb_tokens_free either way. */
bool wb_tokens_read(const char *text, size_t len, wb_tokens *tokens);
void wb_tokens_free(wb_tokens *tokens);

/* Returns the end of the comment or token at `p`, which is before `end` and no blank. A literal
 * without an end is the rest of its line. A directive counts as one where a line starts. */
const char *wb_token_skip(const char *p, const char *end, bool line_starts, bool *comment);

bool wb_token_is(const wb_token *token, const char *text);
/* Returns true if it is this one-character sign. */
bool wb_token_sign(const wb_token *token, char sign);

#endif
