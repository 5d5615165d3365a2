/* access.h: the slow way to memory, a lane at a time; each ends in a fault where it must. */
#ifndef SOFTGPU_ACCESS_H
#define SOFTGPU_ACCESS_H

#include "runtime/softgpu/machine/machine.h"

void sg_lane_load(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                  uint32_t bytes, void *to);
void sg_lane_store(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                   uint32_t bytes, const void *from);
/* The memory itself, of `bytes` bytes, aligned; space is what the address turned out to be. */
void *sg_lane_pointer(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                      uint32_t bytes, enum sg_access access);
/* Fills the cache entry of ip for address; a fault when no range holds it. */
const sg_span *sg_span_fill(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                            enum sg_access access);

#endif
