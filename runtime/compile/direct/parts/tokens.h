/* tokens.h: the tokens of C++ text before preprocessing, and sets of its words. */
#pragma once

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

/* Return the end of the comment at `p`, or `p`; of the raw literal whose quote is at `p`, or NULL.
 * A line comment ends before its line's end. */
const char *wb_token_comment(const char *p, const char *end);
const char *wb_token_raw(const char *p, const char *end);

bool wb_token_is(const wb_token *token, const char *text);
/* Returns true if it is this one-character sign. */
bool wb_token_sign(const wb_token *token, char sign);

/* A set of words that point into texts, which must outlive it. */
typedef struct wb_word_set {
    const wb_token **v; /* an open hash table, `cap` a power of two */
    size_t n, cap;
    bool failed; /* memory ran out */
} wb_word_set;

bool wb_word_set_has(const wb_word_set *words, const wb_token *word);
/* Returns the word's first token, or NULL if the set lacks it. */
const wb_token *wb_word_set_get(const wb_word_set *words, const wb_token *word);
/* Returns true if the word is new. */
bool wb_word_set_add(wb_word_set *words, const wb_token *word);
void wb_word_set_free(wb_word_set *words);
