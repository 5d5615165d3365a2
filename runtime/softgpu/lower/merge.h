/* merge.h: accesses to shared memory that ptxas makes one of. */
#ifndef SOFTGPU_MERGE_H
#define SOFTGPU_MERGE_H

#include "runtime/softgpu/lower/lower.h"

typedef struct lower_joined {
    uint32_t with; /* the instruction that does it: the first load, or the last store, of all */
    uint8_t wide;  /* bytes together; 0: it stays alone */
    uint8_t from;  /* of these before those of that instruction */
} lower_joined;

/* For the instructions first .. end - 1, between which nothing branches: joined[k - first]. */
void lower_merge(lowering *l, uint32_t first, uint32_t end, lower_joined *joined);

#endif
