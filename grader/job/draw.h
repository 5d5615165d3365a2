/* draw.h: draws inputs as lab.json describes them. Private to grader/job. */
#ifndef GRADER_DRAW_H
#define GRADER_DRAW_H

#include "grader/job/job.h"

/* Fills every field of an input or inout from the job's set of values. Bytes between fields are
 * 0. */
void gr_draw_fill(const gr_job *job, int arg, uint32_t run, void *data);

#endif
