/* timing.h: how fast the plan is on a GPU, beside a reference in the same minute. */
#ifndef GRADER_REPLAY_TIMING_H
#define GRADER_REPLAY_TIMING_H

#include "grader/replay/exec.h"

/* Where the lab's own rival lies, compiled and planned; NULLs: it has none. */
typedef struct gr_rival_files {
    const char *code, *plan;
} gr_rival_files;

/* Times the plan and a reference in turns (A B A B), at least `rounds` times each. Every timed run
 * of the submission has its device code loaded afresh, so that nothing remembered from a run
 * before helps it; inputs rotate over sets that together exceed four times the L2; outputs are
 * poisoned before and looked at after each run. The reference has inputs of its own: its results
 * are of no use to who finds them. Before each run of either the L2 is filled with something else,
 * and lines that a kernel marked to stay in it lose their marks first: no submission can slow the
 * reference, or speed up its own next run, by what it leaves there.
 *
 * The reference is the job's rival: the device's own copy moving minimum_bytes, a library's call or
 * a kernel of the set, or the lab's own source, which runs as the plan does. *result: {"times":
 * [s...], "reference_times": [s...], "reference": what it is in words, "copy": whether it is the
 * copy, "outputs": [{"run": set, "file": path}...], "sets": n}; each file holds the outputs of a
 * timed run that no file before it of the same set equals. `prefix` names them. */
bool gr_time(const gr_cuda *cuda, const void *fatbin, const gr_plan *plan, const gr_job *job,
             double minimum_bytes, const gr_rival_files *files, int rounds, const char *prefix,
             json_t **result, wb_error *err);

/* The job's rival, ready to run on memory of its own. */
typedef struct gr_rival gr_rival;
gr_rival *gr_rival_make(const gr_cuda *cuda, const gr_job *job, double minimum_bytes,
                        const gr_rival_files *files, wb_error *err);
const char *gr_rival_name(const gr_rival *rival);
/* Before each run; puts the work onto the stream; after it: did anybody write where they must not?
 */
bool gr_rival_prepare(const gr_cuda *cuda, gr_rival *rival, wb_error *err);
bool gr_rival_start(const gr_cuda *cuda, gr_rival *rival, wb_error *err);
bool gr_rival_whole(const gr_cuda *cuda, gr_rival *rival, wb_error *err);
void gr_rival_free(const gr_cuda *cuda, gr_rival *rival);

#endif
