/* contention.h: see contention.c. */
#ifndef SOFTGPU_CONTENTION_H
#define SOFTGPU_CONTENTION_H

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_contention sg_contention;

typedef struct sg_met { /* operations of one instruction at one address */
    uint64_t address;
    uint32_t n;
} sg_met;

/* The lanes of mask do one atomic operation each, at at[lane] of global memory. Puts each address
 * with its operations into met and returns how many addresses there are. */
uint32_t sg_contention_count(sg_warp *w, const sg_op *ip, const uint64_t *at, uint32_t mask,
                             sg_met met[SG_LANES]);
void sg_contention_undo(sg_worker *me, sg_met met);
/* The block has ended. */
void sg_contention_block(sg_worker *me, const sg_block *b);
/* The worker leaves; run->lock is held. */
void sg_contention_merge(sg_run *run, sg_worker *me);
uint64_t
sg_contention_busiest(const sg_contention *t); /* operations at the address with the most */
void sg_contention_free(sg_contention *t);

#endif
