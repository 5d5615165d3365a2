/* similar.h: which submissions share more than chance gives: fingerprints of tokens, chosen by
 * winnowing (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003), as MOSS does. What two share in
 * a row of GR_SURELY tokens is found, what is shorter than GR_GRAM is not. The lab's starter does
 * not count, nor what more than a tenth of the class (and more than ten) have: a course's way of
 * saying it. */
#ifndef GRADER_FEEDBACK_SIMILAR_H
#define GRADER_FEEDBACK_SIMILAR_H

#include "runtime/base/base.h"

enum { GR_GRAM = 20, GR_WINDOW = 10, GR_SURELY = GR_GRAM + GR_WINDOW - 1 };

typedef struct gr_passage {
    int from[2], to[2]; /* lines of both, from and to included */
} gr_passage;

typedef struct gr_pair {
    size_t who[2];  /* of the texts */
    size_t shared;  /* fingerprints */
    double part[2]; /* of each one's own, 0..1 */
    gr_passage *passages;
    size_t n_passages;
} gr_pair;

typedef struct gr_similar {
    gr_pair *pairs; /* the most alike first */
    size_t n;
} gr_similar;

/* The pairs of texts (NULL: nobody's) of which one shares `least` of its fingerprints or more, at
 * most `most`. starter may be NULL. False when memory runs out. */
bool gr_similar_find(const char *const *texts, size_t n, const char *starter, double least,
                     size_t most, gr_similar *similar);
void gr_similar_free(gr_similar *similar);

#endif
