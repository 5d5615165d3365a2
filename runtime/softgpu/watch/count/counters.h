/* counters.h: exact counts of requests to memory, see counters.c. */
#ifndef SOFTGPU_COUNTERS_H
#define SOFTGPU_COUNTERS_H

#include "runtime/softgpu/machine/machine.h"

void sg_count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
void sg_count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
/* Generic addresses that are not all global: counts each space's lanes as a request of its own. */
void sg_count_generic(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const uint64_t *addresses);
void sg_count_add(sg_counters *to, const sg_counters *from);

#endif
