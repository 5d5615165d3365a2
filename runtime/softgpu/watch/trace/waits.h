/* waits.h: runs blocks that wait for one another in the order of the GPU's clock. Each block begins
 * when a multiprocessor has room, and each warp has a clock (chain.h). Strong loads and stores and
 * atomic operations happen in the order of these clocks. So locks, queues of work and waits behave
 * as on the GPU, whatever the CPU's threads do. */
#pragma once

#include "runtime/softgpu/machine/machine.h"

#define SG_WAITS_BLOCKS 65536 /* in a grid at most: all are traced */

typedef struct sg_waits sg_waits;

/* Returns NULL if there is no memory. */
sg_waits *sg_waits_new(const sg_gpu *gpu, uint64_t n_blocks, uint32_t n_warps);
void sg_waits_free(sg_waits *o);

/* Returns how many blocks the GPU holds at once. */
uint32_t sg_waits_slots(const sg_waits *o);

/* Returns true if the next new block is the first to act; `left` blocks have not started. Else sets
 * *next to the block that continues, or NULL at the end. */
bool sg_waits_starts(sg_waits *o, uint64_t left, sg_block **next);

/* The first begins a block, with `left` blocks after it: assigns its slot and its warps' clocks.
 * The second ends it at `clock`. The third ends its turn. */
void sg_waits_begin(sg_waits *o, sg_block *b, uint64_t left);
void sg_waits_end(sg_waits *o, const sg_block *b, uint32_t clock);
void sg_waits_aside(sg_waits *o, sg_block *b);

/* Returns a block that is set aside, or NULL. The caller frees it. */
sg_block *sg_waits_take(sg_waits *o);

/* Returns the clock at which the last block ended. */
uint32_t sg_waits_last_end(const sg_waits *o);

/* Returns true if it is this warp's turn. Called before an access that other blocks may wait for
 * (sg_run.may_go_on). */
bool sg_waits_may_go_on(sg_warp *w, const sg_op *ip, const char *r);

/* For poll.c: the warp polls again in vain, or has found news. */
void sg_waits_in_vain(sg_warp *w, bool in_vain);

/* The lanes of `mask` change words at addresses + offset. Wakes the warps that poll any of them. */
void sg_waits_news(sg_warp *w, const uint64_t *addresses, int64_t offset, uint32_t mask);

/* Bits of sg_op.mode of an in_turn op. a, offset, width: the address of the access. b: the value
 * that atomicCAS() expects. */
enum { SG_TURN_ATOMIC = 1, SG_TURN_CAS = 2, SG_TURN_CAS_WIDE = 4, SG_TURN_WRITES = 8 };
