/* counters.h: exact counts of requests to memory, see counters.c. */
#ifndef SOFTGPU_COUNTERS_H
#define SOFTGPU_COUNTERS_H

#include "runtime/softgpu/machine/machine.h"

void sg_count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
void sg_count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
/* Passes over 32 banks of 4 bytes that the lanes' accesses take. */
uint32_t sg_wavefronts(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                       bool atomic);
/* Passes of a load as a GPU takes them where that is fewer: two halves (8 bytes a lane) or quarters
 * (16 bytes) of a warp go together where each lane wants the same as its neighbour, or as the one
 * beside that. */
uint32_t sg_passes(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes);
/* Generic addresses that are not all global: counts each space's lanes as a request of its own. */
void sg_count_generic(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const uint64_t *addresses);
void sg_count_add(sg_counters *to, const sg_counters *from);

#endif
