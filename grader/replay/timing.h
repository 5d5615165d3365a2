/* timing.h: times a plan on a GPU, in turns with a rival. */
#pragma once

#include "grader/replay/clock.h"
#include "grader/replay/program.h"

/* The files of the lab's own rival, compiled and planned; NULLs: it has none. */
typedef struct gr_rival_files {
    const char *code, *plan;
} gr_rival_files;

/* The rival that a submission is timed with. */
typedef struct gr_opponent {
    const char *name; /* for messages */
    void *ctx;
    /* Times one run that begins with a cold L2. */
    bool (*time)(void *ctx, int round, double *seconds, wb_error *err);
} gr_opponent;

/* Times the plan and a rival in turns, at least `rounds` times each. The seed chooses the order and
 * a pause before each round. No state survives a round: the device code is loaded again, and inputs
 * have new values and new addresses. So a result that a kernel kept anywhere (shared, local,
 * allocated or foreign memory) is wrong in the next round. After each run, all memory except its
 * outputs must be unchanged. Before each run, the L2 is flushed and its persisting lines are reset.
 *
 * *result: {"times": [s...], "reference_times": [s...], "reference": the rival's name, "copy": true
 * for the device's copy, "outputs": [{"run": inputs, "file": path}...], "least": seconds that the
 * arithmetic takes at least, or 0}. The outputs are those of some rounds, chosen by the seed.
 * `prefix` begins the file names. */
bool gr_time(const void *fatbin, const gr_plan *plan, const gr_job *job, const gr_opponent *rival,
             int rounds, const char *prefix, json_t **result, wb_error *err);

/* peak.c: returns the least seconds of a product of the rival's sizes, at the peak of fp32 or fp64.
 * 0: the rival is not a product, or the device's rates are unknown. */
double gr_least_seconds(const gr_job_rival *rival);

/* opponent.c: a process that times the rivals of jobs. Submission and rival can't access each
 * other's memory. It is forked before the device is opened, and ends with the caller or by
 * gr_opponents_end. */
typedef struct gr_opponents gr_opponents;
gr_opponents *gr_opponents_start(void); /* NULL: the process can't be started */
/* Makes it prepare the job's rival. *opponent is valid until the next call. */
bool gr_opponents_prepare(gr_opponents *o, const gr_job *job, double minimum_bytes,
                          const gr_rival_files *files, gr_opponent *opponent, wb_error *err);
void gr_opponents_end(gr_opponents *o);

/* The job's rival, prepared to run in its own memory. */
typedef struct gr_rival gr_rival;
gr_rival *gr_rival_make(const gr_job *job, double minimum_bytes, const gr_rival_files *files,
                        wb_error *err);
const char *gr_rival_name(const gr_rival *rival);
/* Puts the rival's work onto the stream. */
bool gr_rival_start(gr_rival *rival, wb_error *err);
/* Prepares a run, times it, and checks that it wrote only where it may. */
bool gr_rival_time(const gr_clock *clock, gr_rival *rival, double *seconds, wb_error *err);
void gr_rival_free(gr_rival *rival);
