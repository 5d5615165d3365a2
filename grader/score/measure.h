/* measure.h: computes a lab's measures for a run, and the share of points they earn. */
#pragma once

#include <jansson.h>
#include "grader/lab/lab.h"

/* softgpu's counts over all launches of the performance run. */
typedef struct gr_counts {
    double load_sectors, store_sectors, atomic_sectors;
    double copied;                    /* bytes that copies and fills of solve() read and write */
    double load_useful, store_useful; /* bytes wanted, summed by line, at most those moved */
    double wavefronts;                /* shared memory */
    double instructions;              /* thread instructions */
    double launches;
    double atomics, busiest;          /* operations; the most at one address of a launch */
    double serial;                    /* operations that run in sequence */
    double warp_instructions, clocks; /* clocks: the model GPU's, launches in sequence */
} gr_counts;

gr_counts gr_counts_of(const json_t *softgpu_report);

/* Returns the value of a measure. work and minimum_bytes are the lab's formulas for the run's
 * sizes. */
double gr_measure_value(gr_measure measure, const gr_counts *counts, double work,
                        double minimum_bytes);

/* Returns 1 at `full` or better, 0 at `none` or worse, in between on a logarithmic scale. */
double gr_fraction(const gr_criterion *criterion, double value);

/* Finds the line that moves the most unused bytes. Returns false if no line does. */
typedef struct gr_worst_line {
    const char *file; /* borrowed from the report */
    int line;
    double sectors, ideal; /* for each request */
    double bytes;          /* used in each sector */
} gr_worst_line;
bool gr_find_worst_line(const json_t *softgpu_report, bool stores, gr_worst_line *worst);

/* Return one counter of a launch or line, 0 if it is missing; and the model GPU's clocks for all
 * its counters. */
double gr_counter(const json_t *counters, const char *key);
double gr_counted_clocks(const json_t *counters);
