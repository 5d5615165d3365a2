/* init.h: reads of shared memory that nothing wrote (SG_INITCHECK); mem.c knows global memory. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* Returns true if the op uses the old value. An exchange only stores. */
bool sg_init_reads(const sg_warp *w, const sg_op *ip, enum sg_access access);

/* Checks an access of `bytes` bytes at addresses[lane] + offset by the lanes of `mask`. Raises a
 * fault if a lane reads bytes of which the block has written none since it began. The unwritten
 * rest may be padding. With SG_EARLY, a read behind a barrier that ended threads did not reach is
 * no fault but a line on stderr, once a kernel. Skips addresses out of bounds, which the access
 * itself reports. Requires block->written. */
void sg_init_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access);
/* Does the same for one lane. */
void sg_init_lane(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                  enum sg_access access);
