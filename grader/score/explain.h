/* explain.h: explains missing performance points by softgpu's counts. */
#pragma once

#include <jansson.h>
#include "grader/lab/lab.h"
#include "runtime/json/finding.h"

/* Returns the share of all performance points that count: the worst condition's share. Adds unmet
 * conditions to the findings; the first finding says what they cost. */
double gr_held_to(const gr_performance *performance, const json_t *softgpu_report, double work,
                  double minimum_bytes, json_t *findings);

/* Returns one or two sentences: the measured value, the value for all points, its place in the
 * source, and the lab's advice. "" for all points. The caller frees it. */
char *gr_explain(const gr_criterion *criterion, double value, const json_t *softgpu_report);
/* Adds this text as a finding, unless it is "". A name is shown in front of it. */
void gr_find_count(const gr_criterion *criterion, double value, const json_t *softgpu_report,
                   const char *name, json_t *findings);
