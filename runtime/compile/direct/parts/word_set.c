/* word_set.c: see word_set.h. */
#include "runtime/compile/direct/parts/word_set.h"

#include <stdlib.h>
#include <string.h>

/* Returns the word's slot: its own, or a free one. */
static size_t slot_of(const wb_word_set *words, const wb_token *word) {
    size_t hash = 5381;
    for (size_t i = 0; i < word->len; i++)
        hash = hash * 33 + (unsigned char)word->at[i];
    size_t i = hash & (words->cap - 1);
    while (words->v[i] &&
           (words->v[i]->len != word->len || memcmp(words->v[i]->at, word->at, word->len) != 0))
        i = (i + 1) & (words->cap - 1);
    return i;
}

const wb_token *wb_word_set_get(const wb_word_set *words, const wb_token *word) {
    return words->n > 0 ? words->v[slot_of(words, word)] : NULL;
}

bool wb_word_set_has(const wb_word_set *words, const wb_token *word) {
    return wb_word_set_get(words, word) != NULL;
}

static bool grow(wb_word_set *words) {
    wb_word_set more = {.cap = words->cap ? 2 * words->cap : 256, .n = words->n};
    more.v = calloc(more.cap, sizeof *more.v);
    if (!more.v)
        return false;
    for (size_t i = 0; i < words->cap; i++)
        if (words->v[i])
            more.v[slot_of(&more, words->v[i])] = words->v[i];
    free(words->v);
    *words = more;
    return true;
}

bool wb_word_set_add(wb_word_set *words, const wb_token *word) {
    if (2 * (words->n + 1) > words->cap && !grow(words)) {
        words->failed = true;
        return false;
    }
    const wb_token **slot = &words->v[slot_of(words, word)];
    bool fresh = *slot == NULL;
    if (fresh) {
        *slot = word;
        words->n++;
    }
    return fresh;
}

void wb_word_set_free(wb_word_set *words) {
    free(words->v);
    *words = (wb_word_set){.v = NULL};
}
