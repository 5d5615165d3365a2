/* sampled.h: a size of a GPU's kind on softgpu: of each launch only as many blocks run as tell what
 * a GPU would take for all of them. */
#ifndef WARPBOOK_COMPARE_SAMPLED_H
#define WARPBOOK_COMPARE_SAMPLED_H

#include "runtime/compare/program/bench.h"

/* Would all blocks take long, and is a GPU's time all that is asked for? */
bool sampled_wanted(const bench_device *device, const bench_options *options,
                    const subject *subjects, size_t n, wbk_size size);

/* In place of bench_size: emits for each subject `sampled`, with softgpu's report where there is
 * one, or `check` where it failed. Nothing is checked or timed: no result is whole. */
bool sampled_size(const bench_device *device, const bench_options *options, const subject *subjects,
                  size_t n, size_t size_index, wbk_size size, size_t *wrong);

#endif
