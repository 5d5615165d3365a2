/* draw.h: the inputs of labs with a reference of their own, as lab.json says they are drawn. */
#ifndef GRADER_DRAW_H
#define GRADER_DRAW_H

#include "grader/job/job.h"

/* gr_input_fill's work for such a job: every field of argument `arg` by the job's set of values;
 * bytes between fields are 0. */
void gr_draw_fill(const gr_job *job, int arg, uint32_t run, void *data);

/* The nearby value of the type whose narrower formats lose always in one direction. */
double gr_shaped(gr_type type, double value);

#endif
