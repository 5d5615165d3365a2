/* access.h: slow accesses to memory, one lane at a time. Each raises a fault for an invalid
 * access. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

void sg_lane_load(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                  uint32_t bytes, void *to);
void sg_lane_store(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                   uint32_t bytes, const void *from);
/* Returns the memory of an aligned access of `bytes` bytes. `space` is the address's actual
 * space. */
void *sg_lane_pointer(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                      uint32_t bytes, enum sg_access access);
/* Fills the cache entry of ip for address. Raises a fault if no range holds it. */
const sg_span *sg_span_fill(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                            enum sg_access access);
