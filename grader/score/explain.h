/* explain.h: the words for points of performance that are missing, where softgpu counted. */
#ifndef GRADER_EXPLAIN_H
#define GRADER_EXPLAIN_H

#include <jansson.h>
#include "grader/lab/lab.h"
#include "runtime/json/finding.h"

/* The part of its points that all of performance counts: that of the worst condition. Adds the
 * conditions that are not met to the findings; the first finding says what they cost. */
double gr_held_to(const gr_performance *performance, const json_t *softgpu_report, double work,
                  double minimum_bytes, json_t *findings);

/* One sentence or two about the value: what was measured, what full marks need, where in the
 * source it comes from, and the lab's advice; "" at full marks. malloc'd. */
char *gr_explain(const gr_criterion *criterion, double value, const json_t *softgpu_report);
/* Adds that as a finding, unless it is "". With a name, people read that in front. */
void gr_find_count(const gr_criterion *criterion, double value, const json_t *softgpu_report,
                   const char *name, json_t *findings);

#endif
