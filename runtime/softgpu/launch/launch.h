/* launch.h: what the parts of a launch share. The way in is engine.h: sg_launch_run. */
#ifndef SOFTGPU_LAUNCH_H
#define SOFTGPU_LAUNCH_H

#include "runtime/softgpu/machine/machine.h"

/* sched.c */
extern _Atomic unsigned sg_interrupts; /* rises with every sg_interrupt */
/* NULL: no memory. watched: a check looks at it (run->code), else it runs run->plain. */
sg_block *sg_block_new(sg_worker *worker, bool watched);
void sg_block_free(sg_block *b);
void sg_block_start(sg_block *b, uint64_t id);
/* Runs until the block has ended (true) or its turn is over. */
bool sg_block_run(sg_block *b, bool short_turn);

/* some.c */
/* The blocks that a check looks at; NULL: all of them, or no memory. */
typedef struct sg_some sg_some;
sg_some *sg_some_new(uint64_t n_blocks, uint64_t seed);
uint64_t sg_some_count(const sg_some *s);
/* The k-th block to run: those that are looked at come first, then the others in their order. */
uint64_t sg_some_block(const sg_some *s, uint64_t k);

/* pool.c */
/* Asks for the other threads' help: each that has time calls work(run). */
void sg_pool_wake(sg_run *run, void (*work)(sg_run *run));
void sg_pool_leave(sg_run *run); /* returns when none of them works on it any more */

#endif
