/* input.h: the inputs of a test, made from the run's secret seed. Element i is a function of (seed,
 * stream, run, argument, i) (random.h), so the process that runs a submission and the one that
 * checks it make the same data without passing it. */
#ifndef GRADER_INPUT_H
#define GRADER_INPUT_H

#include "grader/job/job.h"

/* Fills data with what argument `arg` (an index) holds before solve(): inputs and inouts by the
 * job's values, outputs with gr_poison. */
void gr_input_fill(const gr_job *job, int arg, uint32_t run, void *data);

/* What unwritten outputs and fresh temporaries hold: 32-bit words; as a float or double it is a
 * NaN, so that a sum over it shows. */
#define GR_POISON 0xfff0150du
/* What temporaries hold: what leaked into a result is told from what nothing wrote. */
#define GR_POISON_TEMPORARY 0xfff0150bu
void gr_poison(void *data, size_t bytes, uint32_t word);

#endif
