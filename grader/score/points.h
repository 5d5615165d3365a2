/* points.h: from what became of a submission's tasks to points. */
#ifndef GRADER_POINTS_H
#define GRADER_POINTS_H

#include "grader/report/report.h"
#include "grader/stages/stages.h"

/* Adds an item to the report for each test and each criterion of performance, with why points are
 * missing, and what was measured. The tasks are those of all tests' cases in the lab's order, and
 * the performance run at the end. */
void gr_points(const gr_work *work, gr_report *report);

#endif
