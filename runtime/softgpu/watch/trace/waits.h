/* waits.h: blocks that wait for one another, in the order of the GPU's clock. Each block of such a
 * launch begins when a multiprocessor has room for it, each of its warps has a clock (chain.h), and
 * what others may see or wait for (strong loads and stores, atomic operations) is done by the block
 * that comes to it first by these clocks. So who gets a lock, which piece of work a block takes and
 * how long it waits are as on the GPU, whatever the CPU's threads do. */
#ifndef SOFTGPU_WAITS_H
#define SOFTGPU_WAITS_H

#include "runtime/softgpu/machine/machine.h"

#define SG_WAITS_BLOCKS 65536 /* of a grid at most: all are looked at */

typedef struct sg_waits sg_waits;

/* NULL: no memory. */
sg_waits *sg_waits_new(const sg_gpu *gpu, uint64_t n_blocks, uint32_t n_warps);
void sg_waits_free(sg_waits *o);

/* How many blocks the GPU holds at once. */
uint32_t sg_waits_slots(const sg_waits *o);

/* Is the next block to start the first to do something? `left`: blocks that have not been started.
 * Else *next is the block that goes on, or NULL: none is left. */
bool sg_waits_starts(sg_waits *o, uint64_t left, sg_block **next);

/* A block begins, `left` are behind it: it gets its slot, and its warps their clock. It ends at
 * `clock`. Its turn is over. */
void sg_waits_begin(sg_waits *o, sg_block *b, uint64_t left);
void sg_waits_end(sg_waits *o, const sg_block *b, uint32_t clock);
void sg_waits_aside(sg_waits *o, sg_block *b);

/* A block whose turn has not come, which the caller frees; NULL: there is none. */
sg_block *sg_waits_take(sg_waits *o);

/* The clock at which the last block has ended. */
uint32_t sg_waits_last_end(const sg_waits *o);

/* Before an access that other blocks may wait by (sg_run.may_go_on): is it this warp's turn? */
bool sg_waits_may_go_on(sg_warp *w, const sg_op *ip, const char *r);

/* The warp is where it asked before, and nothing has come of it; or something has (poll.c). */
void sg_waits_in_vain(sg_warp *w, bool in_vain);

/* The lanes of `mask` change words at addresses + offset: whoever asked for one of them asks
 * again. */
void sg_waits_news(sg_warp *w, const uint64_t *addresses, int64_t offset, uint32_t mask);

/* Bits of an in_turn op's mode. a, offset, width: the address, as the access has it; b: what
 * atomicCAS() expects. */
enum { SG_TURN_ATOMIC = 1, SG_TURN_CAS = 2, SG_TURN_CAS_WIDE = 4, SG_TURN_WRITES = 8 };

#endif
