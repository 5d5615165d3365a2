/* speed.h: points for speed, from the times that a GPU took. */
#ifndef GRADER_SPEED_H
#define GRADER_SPEED_H

#include <jansson.h>
#include "grader/lab/lab.h"

/* gr_explain for a GPU's times (gr_time's JSON). Sets *value to the ratio that counts and returns
 * a text even at full marks. *rejected has no text unless the times can't be true. */
char *gr_explain_speed(const gr_criterion *criterion, const json_t *time, double minimum_bytes,
                       double *value, bool *rejected);

#endif
