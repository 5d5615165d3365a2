/* random.h: numbers from a run's secret seed. They are counter-based: number i is a function of its
 * key and i. The generator is ChaCha with 8 rounds, so device code that reads its inputs can't
 * predict later ones. */
#pragma once

#include "runtime/base/base.h"

/* Also compiles a function for wider vectors, which the machine uses if it has them. Both versions
 * give the same results, because they fuse no operations. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define GR_WIDE __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define GR_WIDE
#endif

/* Gets a secret 64-bit seed from the system. Returns false with *err if it gives none. */
bool gr_seed_new(uint64_t *seed, wb_error *err);

/* Fills words[0..n) of the key (seed, stream, run, arg). */
void gr_random_fill(uint64_t seed, uint32_t stream, uint32_t run, uint32_t arg, uint32_t *words,
                    size_t n);
/* Returns one word for other choices than inputs, such as a test's sizes. */
uint32_t gr_random_word(uint64_t seed, uint32_t stream, uint32_t purpose);
