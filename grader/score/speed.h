/* speed.h: points for speed by a GPU's times. */
#pragma once

#include <jansson.h>
#include "grader/lab/lab.h"

/* Like gr_explain for a GPU's times (gr_time's JSON). Sets *value to the speed ratio, and returns a
 * text even for all points. *rejected: the times can't be true. */
char *gr_explain_speed(const gr_criterion *criterion, const json_t *time, double minimum_bytes,
                       double *value, bool *rejected);
