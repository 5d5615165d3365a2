/* random.h: numbers from a run's secret seed. Counter-based: number i is a function of its key and
 * i. The generator is ChaCha with 8 rounds: device code that reads its inputs can't foresee those
 * of a later run. */
#ifndef GRADER_RANDOM_H
#define GRADER_RANDOM_H

#include "runtime/base/base.h"

/* Compiled for wider vectors besides, which are taken where the machine has them: with the same
 * results, as they fuse nothing. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define GR_WIDE __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define GR_WIDE
#endif

/* One secret 64-bit seed from the system; false when it gives none. */
bool gr_seed_new(uint64_t *seed, wb_error *err);

/* words[0..n) of the key (seed, stream, run, arg). */
void gr_random_fill(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg, uint32_t *words,
                    size_t n);
/* One word for choices outside the inputs, such as a test's sizes. */
uint32_t gr_random_word(uint64_t seed, uint32_t stream, uint32_t purpose);

#endif
