/* contention.h: see contention.c. */
#ifndef SOFTGPU_CONTENTION_H
#define SOFTGPU_CONTENTION_H

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_contention sg_contention;

typedef struct sg_met { /* operations of one instruction at one address */
    uint64_t address;
    uint32_t n, passes; /* passes through its sector, where no other address there has more */
    bool answers;       /* their old values go back */
} sg_met;

typedef struct sg_queued { /* atomic operations of a launch on global memory */
    uint64_t address;      /* at the address with the most */
    uint64_t queue;        /* passes through the queue with the most */
    uint64_t passes;       /* in all */
    uint64_t answered;     /* of those such whose old values go back; */
    uint64_t words;        /* operations whose do */
} sg_queued;

/* The lanes of mask do one atomic operation each, at at[lane] of global memory; together: ptxas
 * makes one of them; answers: old values go back, used or not. Puts each address with its
 * operations into met and returns how many addresses there are. */
uint32_t sg_contention_count(sg_warp *w, const sg_op *ip, const uint64_t *at, uint32_t mask,
                             bool together, bool answers, sg_met met[SG_LANES]);
void sg_contention_undo(sg_worker *me, sg_met met);
/* The block has ended. */
void sg_contention_block(sg_worker *me, const sg_block *b);
/* The worker leaves; run->lock is held. */
void sg_contention_merge(sg_run *run, sg_worker *me);
sg_queued sg_contention_queued(const sg_contention *t);
void sg_contention_free(sg_contention *t);

#endif
