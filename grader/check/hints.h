/* hints.h: what a wrong result equals. A hint is given where every element is what a certain
 * mistake gives, worked out for this run's inputs; what merely looks like one is no hint. Private
 * to grader/check. */
#ifndef GRADER_HINTS_H
#define GRADER_HINTS_H

#include "grader/check/check.h"

enum { GR_HINT_SIZE = 400 };

/* gemm.c's: operands in the other order, rows of another length, sums that end early, alpha. The
 * arguments' content before the run, as it lies in memory. */
bool gr_hint_gemm(const gr_expected *e, const void *got, const void *a, const void *b,
                  const void *c, char hint[GR_HINT_SIZE]);

#endif
