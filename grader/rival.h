/* rival.h: what a lab's own rival, or a kernel of the set, takes at the sizes that are timed. */
#ifndef GRADER_RIVAL_H
#define GRADER_RIVAL_H

#include "grader/stages/stages.h"

/* For the tasks of performance that stand at the end of w->tasks: on softgpu their rival_s, as
 * modelled; on a GPU what gr_stage_run times them beside. Modelled
 * once for all submissions of a seed. Nothing to do where times were measured. False: the lab's
 * rival is none (w->message says why), which is no submission's fault. */
bool gr_rival_ready(gr_work *w);

#endif
