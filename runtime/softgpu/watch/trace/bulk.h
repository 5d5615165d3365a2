/* bulk.h: clocks of barriers in shared memory (mbarrier): arriving threads, hardware copies
 * (cp.async.bulk), and waiting warps. A barrier keeps the clock of the latest arrival so far. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* Prepares a traced block that may have barriers. Returns false if there is no memory. */
bool sg_bulk_begin(sg_block *b);

/* The warp arrives at the barrier `word` in its block's shared memory. */
void sg_bulk_arrive(sg_warp *w, const uint64_t *word);

/* The warp tests whether a phase has ended; `over` is the answer. Its clock stops until that is
 * so. */
void sg_bulk_asked(sg_warp *w, const sg_op *ip, const uint64_t *word, bool over);

/* The hardware copies bytes from or to global memory for the warp, and then arrives at `word`. If
 * `word` is NULL, the warp waits for a group of copies instead. */
void sg_bulk_copy(sg_warp *w, const sg_op *ip, enum sg_access access, uint64_t global,
                  uint32_t bytes, const uint64_t *word);
