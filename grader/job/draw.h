/* draw.h: inputs as lab.json says they are drawn. Private to grader/job. */
#ifndef GRADER_DRAW_H
#define GRADER_DRAW_H

#include "grader/job/job.h"

/* gr_input_fill's work for inputs and inouts: every field of argument `arg` by the job's set of
 * values; bytes between fields are 0. */
void gr_draw_fill(const gr_job *job, int arg, uint32_t run, void *data);

#endif
