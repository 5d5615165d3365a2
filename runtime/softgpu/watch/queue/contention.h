/* contention.h: queues of atomic operations, and the longest block (contention.c). */
#pragma once

#include "runtime/softgpu/machine/machine.h"

typedef struct sg_contention sg_contention;

typedef struct sg_met { /* one instruction's operations at one address */
    uint64_t address;
    uint32_t n, passes; /* passes through its sector; 0 unless this address has the most there */
    bool answers;       /* the old values are returned */
} sg_met;

typedef struct sg_queued { /* a launch's atomic operations on global memory */
    uint64_t address;      /* at the busiest address */
    uint64_t queue;        /* passes through the busiest queue */
    uint64_t passes;       /* in total */
    uint64_t answered;     /* passes whose old values are returned */
    uint64_t words;        /* operations whose old values are returned */
} sg_queued;

/* Counts one atomic operation per lane of mask at at[lane] in global memory. `together`: ptxas
 * combines them into one. `answers`: old values are returned, used or not. Stores each address and
 * its operations in met. Returns the number of addresses. */
uint32_t sg_contention_count(sg_warp *w, const sg_op *ip, const uint64_t *at, uint32_t mask,
                             bool together, bool answers, sg_met met[SG_LANES]);
void sg_contention_undo(sg_worker *me, sg_met met);
/* Counts a block that has ended. */
void sg_contention_block(sg_worker *me, const sg_block *b);
/* Merges the tables of a worker that leaves. The caller holds run->lock. */
void sg_contention_merge(sg_run *run, sg_worker *me);
sg_queued sg_contention_queued(const sg_contention *t);
void sg_contention_free(sg_contention *t);
