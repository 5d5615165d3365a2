/* input.h: makes the inputs of a test from the secret seed. Element i is a function of (seed,
 * stream, run, argument, i) (random.h). So the process that runs a submission and the one that
 * checks it make the same data without passing it. */
#pragma once

#include "grader/job/job.h"

/* Fills `data` with the contents of argument `arg` (an index) before solve(): inputs and inouts
 * from the job's values, outputs with gr_poison. */
void gr_input_fill(const gr_job *job, int arg, uint32_t run, void *data);

/* Fills outputs, in 32-bit words. As a float or double it is a NaN, so that a sum over it shows. */
#define GR_POISON 0xfff0150du
/* Fills temporaries. The other value shows that a result leaked from one. */
#define GR_POISON_TEMPORARY 0xfff0150bu
void gr_poison(void *data, size_t bytes, uint32_t word);
