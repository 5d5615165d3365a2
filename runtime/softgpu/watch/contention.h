/* contention.h: see contention.c. */
#ifndef SOFTGPU_CONTENTION_H
#define SOFTGPU_CONTENTION_H

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_contention sg_contention;

/* The lanes of mask do one atomic operation each, at at[lane] of global memory. */
void sg_contention_count(sg_warp *w, const sg_op *ip, const uint64_t *at, uint32_t mask);
void sg_contention_undo(sg_worker *me, uint64_t address, uint32_t n);
/* The block has ended. */
void sg_contention_block(sg_worker *me, const sg_block *b);
/* The worker leaves; run->lock is held. */
void sg_contention_merge(sg_run *run, sg_worker *me);
uint64_t
sg_contention_busiest(const sg_contention *t); /* operations at the address with the most */
void sg_contention_free(sg_contention *t);

#endif
