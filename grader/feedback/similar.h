/* similar.h: finds submissions that share more than chance explains. It compares fingerprints of
 * tokens, selected by winnowing (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003), like MOSS.
 * It finds every shared sequence of GR_SURELY tokens, and none shorter than GR_GRAM. It ignores the
 * lab's starter, and what more than a tenth of the class (and more than ten students) have. */
#pragma once

#include "runtime/base/base.h"

enum { GR_GRAM = 20, GR_WINDOW = 10, GR_SURELY = GR_GRAM + GR_WINDOW - 1 };

typedef struct gr_passage {
    int from[2], to[2]; /* lines of both texts, both ends included */
} gr_passage;

typedef struct gr_pair {
    size_t who[2];  /* indices of the texts */
    size_t shared;  /* number of shared fingerprints */
    double part[2]; /* shared part of each text's own fingerprints, 0..1 */
    gr_passage *passages;
    size_t n_passages;
} gr_pair;

typedef struct gr_similar {
    gr_pair *pairs; /* the most similar first */
    size_t n;
} gr_similar;

/* Finds the pairs in which one text shares at least the part `least` of its fingerprints. Returns
 * at most `most` pairs. Skips NULL texts; starter may be NULL. False when memory runs out. */
bool gr_similar_find(const char *const *texts, size_t n, const char *starter, double least,
                     size_t most, gr_similar *similar);
void gr_similar_free(gr_similar *similar);
