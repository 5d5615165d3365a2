/* mutate.h: plants one small mistake in a solution, as students make them. */
#pragma once

#include "grader/lab/lab.h"

typedef enum gr_mutant_kind {
    GR_MUTANT_OPERAND, /* an operand dropped: a + b becomes a, sum += x becomes sum = x */
    GR_MUTANT_BOUND,   /* off by one: < becomes <=, > becomes >=, and the reverse */
    GR_MUTANT_FIRST,   /* the first instead of the largest or least: max(a, b) becomes a */
    GR_MUTANT_BARRIER, /* a barrier removed */
    GR_MUTANT_SIZE,    /* one of the lab's sizes replaced by another, or by one less */
    GR_MUTANT_KINDS
} gr_mutant_kind;
extern const char *const gr_mutant_names[GR_MUTANT_KINDS]; /* to be translated for people */

typedef struct gr_mutant {
    gr_mutant_kind kind;
    int line;
    uint32_t order; /* among all mutants */
    size_t at, len; /* of the text to replace */
    char *with;
} gr_mutant;

typedef struct gr_mutants {
    gr_mutant *v;
    size_t n;
} gr_mutants;

/* Lists the mutants of a source. The seed chooses their order, in which the kinds alternate. Some
 * may not compile. Comments, literals and preprocessor lines stay as they are. */
gr_mutants gr_mutants_of(const gr_lab *lab, const char *text, uint64_t seed);
void gr_mutants_free(gr_mutants *mutants);
/* Returns the source with the mistake. *line: the changed line, trimmed. The caller frees both. */
char *gr_mutant_source(const gr_mutant *mutant, const char *text, char **line);
