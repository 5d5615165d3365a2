/* words.h: a set of words, each a piece of a text that outlives it. */
#ifndef WARPBOOK_COMPILE_DIRECT_WORDS_H
#define WARPBOOK_COMPILE_DIRECT_WORDS_H

#include "runtime/compile/direct/tokens.h"

typedef struct wb_words {
    const wb_token **v; /* an open hash table, `cap` a power of two */
    size_t n, cap;
    bool failed; /* memory ran out */
} wb_words;

bool wb_words_has(const wb_words *words, const wb_token *word);
/* True if the word is new. */
bool wb_words_add(wb_words *words, const wb_token *word);
void wb_words_free(wb_words *words);

#endif
