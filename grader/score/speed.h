/* speed.h: points for speed, from the times that a GPU took. */
#ifndef GRADER_SPEED_H
#define GRADER_SPEED_H

#include <jansson.h>
#include "grader/lab/lab.h"

/* gr_explain's words, of a GPU's times (gr_time's JSON). Sets *value to the ratio that counts and
 * returns what to tell even at full marks; NULL text in *rejected unless the times can't be true.
 */
char *gr_explain_speed(const gr_criterion *criterion, const json_t *time, double minimum_bytes,
                       double *value, bool *rejected);

#endif
