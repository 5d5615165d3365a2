/* banks.h: passes over the banks of shared memory, and of L1's data. */
#ifndef SOFTGPU_BANKS_H
#define SOFTGPU_BANKS_H

#include "runtime/softgpu/machine/machine.h"

/* Passes over 32 banks of 4 bytes that the lanes' accesses take. */
uint32_t sg_wavefronts(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                       bool atomic);
/* Passes of a load as a GPU takes them where that is fewer: two halves (8 bytes a lane) or quarters
 * (16 bytes) of a warp go together where each lane wants the same as its neighbour, or as the one
 * beside that. */
uint32_t sg_passes(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes);

#endif
