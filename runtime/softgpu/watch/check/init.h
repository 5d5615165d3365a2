/* init.h: reads of shared memory that nothing wrote (SG_INITCHECK); mem.c knows global memory. */
#ifndef SOFTGPU_WATCH_INIT_H
#define SOFTGPU_WATCH_INIT_H

#include "runtime/softgpu/machine/machine.h"

/* Does what is done depend on what was there? An exchange is a store. */
bool sg_init_reads(const sg_warp *w, const sg_op *ip, enum sg_access access);

/* The lanes of `mask` are about to access `bytes` bytes of shared memory at addresses[lane] +
 * offset. A fault when they read bytes of which the block has written none since it began: a part
 * may be padding. With SG_EARLY in their place it is none: but behind a barrier that threads
 * did not reach, since they had ended, a line on stderr says so, once for each kernel. Addresses
 * out of bounds are passed over: the access itself reports those. Only where block->written is
 * there. */
void sg_init_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access);
/* The same for one lane. */
void sg_init_lane(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                  enum sg_access access);

#endif
