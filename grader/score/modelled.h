/* modelled.h: models a GPU's time for softgpu's performance runs, and compares it with a
 * reference's. */
#pragma once

#include "grader/stages/stages.h"

/* Returns true if the reference's time is known at the sizes of each run. Otherwise *err names the
 * sizes, which is an error of the lab. */
bool gr_modelled_check(const gr_task *tasks, size_t n, wb_error *err);

/* Computes a GPU's time for softgpu's report: *seconds, or *why if there is none, which the caller
 * frees. Returns false with *err if the model can't be read. */
bool gr_modelled_seconds(const json_t *report, double *seconds, char **why, wb_error *err);

/* Returns reference time / modelled time, rounded to three digits: the geometric mean of the runs,
 * which have all passed. NAN if a launch has no time. Adds each run's time and longest launch to
 * the findings, unless these are NULL. *cases: the times as data, a new array. */
double gr_modelled_speed(const gr_task *tasks, size_t n, json_t *findings, json_t **cases);
