/* word_set.h: a set of words that point into texts, which must outlive it. */
#ifndef WARPBOOK_COMPILE_DIRECT_PARTS_WORD_SET_H
#define WARPBOOK_COMPILE_DIRECT_PARTS_WORD_SET_H

#include "runtime/compile/direct/parts/tokens.h"

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

#endif
