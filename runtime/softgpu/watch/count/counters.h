/* counters.h: exact counts of memory requests (counters.c). */
#ifndef SOFTGPU_COUNTERS_H
#define SOFTGPU_COUNTERS_H

#include "runtime/softgpu/machine/machine.h"

void sg_count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
void sg_count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
/* Counts the lanes of each space as a request of its own, for generic addresses not all global. */
void sg_count_generic(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const uint64_t *addresses);
void sg_count_add(sg_counters *to, const sg_counters *from);

#endif
