/* poll.h: see poll.c. */
#ifndef SOFTGPU_POLL_H
#define SOFTGPU_POLL_H

#include "runtime/softgpu/watch/queue/contention.h"

typedef struct sg_poll sg_poll;

/* Builtins of kernels that are counted: before an instruction that may wait for other threads
 * (op.mode: of other blocks too, by an atomic operation), and before what changes more than
 * registers without an instruction for it. */
extern void (*const sg_poll_mark)(sg_warp *w, const sg_op *ip, char *r);
extern void (*const sg_poll_wrote)(sg_warp *w, const sg_op *ip, char *r);

/* The warp did atomic operations, and they were counted. */
void sg_poll_atomics(sg_warp *w, const sg_met *met, uint32_t n_met);
/* Whether lanes that wait where paths meet stay there at the end of this turn. */
bool sg_poll_patient(const sg_warp *w);
/* The block has ended: its warps' counts are put together. */
void sg_poll_end(sg_block *b);
void sg_poll_free(sg_poll *p);

#endif
