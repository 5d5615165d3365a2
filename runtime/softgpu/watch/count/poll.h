/* poll.h: keeps the length of a wait out of the counts (poll.c). */
#pragma once

#include "runtime/softgpu/watch/queue/contention.h"

typedef struct sg_poll sg_poll;

/* Builtins of counted kernels. sg_poll_mark is placed before an instruction that may wait for other
 * threads. Its op.mode is set if an atomic may wait for other blocks. sg_poll_wrote is placed
 * before other changes beyond registers. */
extern void (*const sg_poll_mark)(sg_warp *w, const sg_op *ip, char *r);
extern void (*const sg_poll_wrote)(sg_warp *w, const sg_op *ip, char *r);

/* Records counted atomic operations of the warp. */
void sg_poll_atomics(sg_warp *w, const sg_met *met, uint32_t n_met);
/* Returns true if lanes that wait where paths meet stay there after this turn. */
bool sg_poll_patient(const sg_warp *w);
/* Adds up the counts of a finished block's warps. */
void sg_poll_end(sg_block *b);
void sg_poll_free(sg_poll *p);
