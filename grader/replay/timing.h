/* timing.h: how fast the plan is on a GPU, beside a rival in the same minute. */
#ifndef GRADER_REPLAY_TIMING_H
#define GRADER_REPLAY_TIMING_H

#include "grader/replay/clock.h"
#include "grader/replay/exec.h"

/* Where the lab's own rival lies, compiled and planned; NULLs: it has none. */
typedef struct gr_rival_files {
    const char *code, *plan;
} gr_rival_files;

/* What the submission is timed beside. */
typedef struct gr_opponent {
    const char *name; /* in words */
    void *ctx;
    /* One run on a cold L2. */
    bool (*time)(void *ctx, int round, double *seconds, wb_error *err);
} gr_opponent;

/* Times the plan and a rival in turns, at least `rounds` times each, who begins and a gap before
 * being the seed's choice. Nothing survives a round that would be of use in the next: the
 * submission's device code is loaded afresh, its inputs are others each time and in other memory,
 * so that no result of a round before is right again, wherever a kernel may have left it (shared,
 * local, allocated or foreign memory); and after each run all memory that is not its outputs must
 * be as it was. The L2 is filled with something else, and lines that a kernel marked to stay in it
 * lose their marks first.
 *
 * *result: {"times": [s...], "reference_times": [s...], "reference": the rival in words, "copy":
 * whether it is the device's copy, "outputs": [{"run": inputs, "file": path}...], "least": seconds
 * that the device's arithmetic takes at least, or 0}. The outputs are those of some rounds, which
 * hang on the seed; `prefix` names the files. */
bool gr_time(const gr_cuda *cuda, const void *fatbin, const gr_plan *plan, const gr_job *job,
             const gr_opponent *rival, int rounds, const char *prefix, json_t **result,
             wb_error *err);

/* peak.c: seconds that a product of the rival's sizes takes at least: all multiplications at the
 * peak of fp32 or fp64. 0: the rival is no product, or the device does not say. */
double gr_least_seconds(const gr_cuda *cuda, const gr_job_rival *rival);

/* opponent.c: a process of its own that times the rivals of jobs: no kernel of the submission
 * reaches its memory, and what it leaves there is none of theirs. Forked before the device is
 * opened; it ends with the caller, or when it is told to. */
typedef struct gr_opponents gr_opponents;
gr_opponents *gr_opponents_start(void); /* NULL: no process can be made */
/* Has it prepare the job's rival; *opponent is good until the next call. */
bool gr_opponents_prepare(gr_opponents *o, const gr_job *job, double minimum_bytes,
                          const gr_rival_files *files, gr_opponent *opponent, wb_error *err);
void gr_opponents_end(gr_opponents *o);

/* The job's rival, ready to run on memory of its own. */
typedef struct gr_rival gr_rival;
gr_rival *gr_rival_make(const gr_cuda *cuda, const gr_job *job, double minimum_bytes,
                        const gr_rival_files *files, wb_error *err);
const char *gr_rival_name(const gr_rival *rival);
/* Puts the work onto the stream. */
bool gr_rival_start(const gr_cuda *cuda, gr_rival *rival, wb_error *err);
/* Prepares the run, times the work and checks that nothing wrote where it must not. */
bool gr_rival_time(const gr_clock *clock, gr_rival *rival, double *seconds, wb_error *err);
void gr_rival_free(const gr_cuda *cuda, gr_rival *rival);

#endif
