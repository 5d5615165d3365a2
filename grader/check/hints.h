/* hints.h: what a wrong result equals. A hint is given where every element is what a certain
 * mistake gives, worked out for this run's inputs; what merely looks like one is no hint. Private
 * to grader/check. */
#ifndef GRADER_HINTS_H
#define GRADER_HINTS_H

#include "grader/check/check.h"

enum { GR_HINT_SIZE = 400 };

/* What element i would be with the mistake; NaN: there is no such element. */
typedef double gr_mistake(const void *ctx, int64_t i);

/* Is every element of got what the mistake gives? For real values: within what rounding explains,
 * where the two can be told from each other, and of many elements: a few may be so by chance. */
bool gr_equals(const gr_expected *e, const void *got, gr_mistake *mistake, const void *ctx);

/* gemm.c's: operands in the other order, rows of another length, sums that end early, alpha. The
 * arguments' content before the run, as it lies in memory. */
bool gr_hint_gemm(const gr_expected *e, const void *got, const void *a, const void *b,
                  const void *c, char hint[GR_HINT_SIZE]);

/* Sums along lines of n elements, `step` apart; line i begins at i * next. */
typedef struct gr_lines {
    const void *data;
    gr_type type;
    int64_t n, step, next;
    const struct gr_lines *others; /* lines of another output; NULL: there is none */
    int64_t n_others;              /* how many there are */
    const char *what, *other;      /* "row_sums", and the other output's name */
} gr_lines;
bool gr_hint_sums(const gr_expected *e, const void *got, const gr_lines *lines,
                  char hint[GR_HINT_SIZE]);

#endif
