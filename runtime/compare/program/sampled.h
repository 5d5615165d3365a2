/* sampled.h: a GPU's usual size on softgpu, where only some blocks of each launch run. */
#pragma once

#include "runtime/compare/program/bench.h"

/* Returns true if all blocks would take long, and only a GPU's time is wanted. */
bool sampled_wanted(const bench_device *device, const bench_options *options,
                    const subject *subjects, size_t n, wbk_size size);

/* Replaces bench_size: emits `sampled` for each subject, with softgpu's report if any, or `check`
 * for a failure. Checks and times nothing, because results are incomplete. */
bool sampled_size(const bench_device *device, const bench_options *options, const subject *subjects,
                  size_t n, size_t size_index, wbk_size size, size_t *wrong);
