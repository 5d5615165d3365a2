/* bulk.h: clocks of what goes by barriers in shared memory (mbarrier): threads that arrive there,
 * copies by the hardware (cp.async.bulk) that do, and warps that wait for them. A barrier has the
 * clock at which the last of those has come that came so far. */
#ifndef SOFTGPU_BULK_H
#define SOFTGPU_BULK_H

#include "runtime/softgpu/machine/machine.h"

/* A traced block begins; it may have barriers. False: no memory. */
bool sg_bulk_begin(sg_block *b);

/* The warp arrives at the barrier at `word` of its block's shared memory. */
void sg_bulk_arrive(sg_warp *w, const uint64_t *word);

/* It asks for the end of a phase: is that over? Until it is, its clock stands still. */
void sg_bulk_asked(sg_warp *w, const sg_op *ip, const uint64_t *word, bool over);

/* It has the hardware copy bytes from or to global memory, and arrive at `word` when that is done;
 * NULL: a group of copies is waited for. */
void sg_bulk_copy(sg_warp *w, const sg_op *ip, enum sg_access access, uint64_t global,
                  uint32_t bytes, const uint64_t *word);

#endif
