/* heap.h: where kernels allocated memory that they have not freed. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_heap_left {
    char kernel[256], file[512]; /* file: "" if unknown */
    uint32_t line;
    uint64_t blocks, bytes; /* from this line */
} sg_heap_left;

/* Remembers the place of an allocation: the op of a warp. */
void sg_heap_note(const sg_warp *w, const sg_op *ip, const void *base);
/* Sums what the line with the first such allocation left. Returns false if all is freed. */
bool sg_heap_leaks(sg_heap_left *left);
/* Frees what is left. No kernel may run. */
void sg_heap_clear(void);
