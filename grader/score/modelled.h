/* modelled.h: softgpu's performance runs as a GPU would take them, beside what its library or its
 * copy took. */
#ifndef GRADER_MODELLED_H
#define GRADER_MODELLED_H

#include "grader/stages/stages.h"

/* Whether the reference's time is known for the sizes of each run; else *err says for which not:
 * the lab's mistake. */
bool gr_modelled_check(const gr_task *tasks, size_t n, wb_error *err);

/* What a GPU takes for what softgpu reports: *seconds, or *why there is no time, malloc'd. False:
 * the model can't be read. */
bool gr_modelled_seconds(const json_t *report, double *seconds, char **why, wb_error *err);

/* Reference's time / modelled time, the geometric mean of the runs, which have all passed, to three
 * digits. NAN where a launch has no time. Adds the time and the longest launch of each run to the
 * findings, unless these are NULL. *cases: the times as data, a new array. */
double gr_modelled_speed(const gr_task *tasks, size_t n, json_t *findings, json_t **cases);

#endif
