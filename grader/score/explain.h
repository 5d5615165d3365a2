/* explain.h: the words for points of performance that are missing, where softgpu counted. */
#ifndef GRADER_EXPLAIN_H
#define GRADER_EXPLAIN_H

#include <jansson.h>
#include "grader/lab/lab.h"

/* The part of its points that all of performance counts: that of the worst condition. *why becomes
 * what to tell of those that are not met, "" or malloc'd text; the first line says what they cost.
 */
double gr_held_to(const gr_performance *performance, const json_t *softgpu_report, double work,
                  double minimum_bytes, char **why);

/* One sentence or two about the value: what was measured, what full marks need, where in the
 * source it comes from, and the lab's advice; "" at full marks. malloc'd. */
char *gr_explain(const gr_criterion *criterion, double value, const json_t *softgpu_report);

#endif
