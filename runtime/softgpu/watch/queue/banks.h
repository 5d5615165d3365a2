/* banks.h: passes over the banks of shared memory and of L1's data. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* Returns the passes over 32 banks of 4 bytes for the lanes' accesses. */
uint32_t sg_wavefronts(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                       bool atomic);
/* Returns the passes of a load on a GPU, if these are fewer. Two halves (8 bytes a lane) or
 * quarters (16 bytes) of a warp go together if each lane reads the same as its neighbour, or as the
 * next one but one. */
uint32_t sg_passes(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes);
