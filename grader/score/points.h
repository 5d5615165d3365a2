/* points.h: computes points from a submission's tasks. */
#pragma once

#include "grader/report/report.h"
#include "grader/stages/stages.h"

/* Adds an item to the report for each test and each performance criterion, with the reasons for
 * missing points, and the measured values. The tasks are the cases of all tests in the lab's order,
 * then the performance runs. */
void gr_points(const gr_work *work, gr_report *report);
