/* measure.h: what a run comes to by a measure of the lab, and which part of the points that is
 * worth. */
#ifndef GRADER_MEASURE_H
#define GRADER_MEASURE_H

#include <jansson.h>
#include "grader/lab/lab.h"

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

/* Sectors a request of the line that moves the most needless bytes; false when none does. */
typedef struct gr_worst_line {
    const char *file; /* borrowed from the report */
    int line;
    double sectors, ideal; /* a request */
    double bytes;          /* used of a sector */
} gr_worst_line;
bool gr_find_worst_line(const json_t *softgpu_report, bool stores, gr_worst_line *worst);

/* Of one launch's or line's counters: one by its name, 0 where it is missing; and how long the
 * model GPU takes for all of them. */
double gr_counter(const json_t *counters, const char *key);
double gr_counted_clocks(const json_t *counters);

#endif
