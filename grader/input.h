/* input.h: the inputs of a test, made from the run's secret seed. Counter-based: element i is a
 * function of (seed, stream, run, argument, i), so the process that runs a submission and the one
 * that checks it make the same data without passing it. The generator is ChaCha with 8 rounds:
 * device code that reads its inputs can't foresee those of a later run. */
#ifndef GRADER_INPUT_H
#define GRADER_INPUT_H

#include <stdint.h>
#include "grader/job.h"

/* One secret 64-bit seed from the system; false when it gives none. */
bool gr_seed_new(uint64_t *seed, wb_error *err);

/* words[0..n) of the key (seed, stream, run, arg). */
void gr_random_fill(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg, uint32_t *words,
                    size_t n);
/* One word for choices outside the inputs, such as a test's sizes. */
uint32_t gr_random_word(uint64_t seed, uint32_t stream, uint32_t purpose);

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
