/* merge.h: accesses to shared memory that ptxas merges. */
#pragma once

#include "runtime/softgpu/lower/lower.h"

typedef struct lower_joined {
    uint32_t with; /* the instruction that does it: the first load or the last store */
    uint8_t wide;  /* merged bytes; 0: not merged */
    uint8_t from;  /* bytes of these before the instruction's own */
} lower_joined;

/* Fills joined[k - first] for instructions first .. end - 1, which contain no branch. */
void lower_merge(lowering *l, uint32_t first, uint32_t end, lower_joined *joined);
