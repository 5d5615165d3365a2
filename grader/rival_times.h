/* rival_times.h: the time of a lab's own rival, or of a kernel of the set, at the timed sizes. */
#pragma once

#include "grader/stages/stages.h"

/* Prepares the performance tasks at the end of w->tasks. On softgpu it sets their modelled rival_s,
 * computed once a seed. On a GPU it prepares the files with which gr_stage_run times them. A
 * library with measured times needs nothing. False: the lab's rival fails; w->found says why. */
bool gr_rival_ready(gr_work *w);
