/* score.h: from what was measured to points, and to the words that explain the missing ones. */
#ifndef GRADER_SCORE_H
#define GRADER_SCORE_H

#include <jansson.h>
#include "grader/lab.h"

/* What softgpu counted over all launches of the performance run. */
typedef struct gr_counts {
    double load_sectors, store_sectors, atomic_sectors;
    double copied;                    /* bytes that copies and fills of solve() read and write */
    double load_useful, store_useful; /* bytes wanted, at most those moved, line by line */
    double wavefronts;                /* shared memory */
    double instructions;              /* of threads */
    double launches;
    double atomics, busiest;          /* operations; the most on one address of a launch */
    double serial;                    /* operations that run one after the other */
    double warp_instructions, clocks; /* clocks: of the model GPU, one launch after the other */
} gr_counts;

gr_counts gr_counts_of(const json_t *softgpu_report);

/* The criterion's measure. work and minimum_bytes are the lab's formulas for the run's sizes. */
double gr_measure_value(gr_measure measure, const gr_counts *counts, double work,
                        double minimum_bytes);

/* 1 at full or better, 0 at none or worse, by the logarithm between. */
double gr_fraction(const gr_criterion *criterion, double value);

/* The part of its points that all of performance counts: that of the worst condition. *why becomes
 * what to tell of those that are not met, "" or malloc'd text; the first line says what they cost.
 */
double gr_held_to(const gr_performance *performance, const json_t *softgpu_report, double work,
                  double minimum_bytes, char **why);

/* One sentence or two about the value: what was measured, what full marks need, where in the
 * source it comes from, and the lab's advice; "" at full marks. malloc'd. */
char *gr_explain(const gr_criterion *criterion, double value, const json_t *softgpu_report);

/* The same of a GPU's times (gr_time's JSON). Sets *value to the ratio that counts and returns
 * what to tell even at full marks; NULL text in *rejected unless the times can't be true. */
char *gr_explain_speed(const gr_criterion *criterion, const json_t *time, double minimum_bytes,
                       double *value, bool *rejected);

/* Sectors a request of the line that moves the most needless bytes; false when none does. */
typedef struct gr_worst_line {
    const char *file; /* borrowed from the report */
    int line;
    double sectors, ideal; /* a request */
    double bytes;          /* used of a sector */
} gr_worst_line;
bool gr_find_worst_line(const json_t *softgpu_report, bool stores, gr_worst_line *worst);

#endif
