/* launch.h: shared by the parts of a launch. The entry point is sg_launch_run() (engine.h). */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* sched.c */
extern _Atomic unsigned sg_interrupts; /* increases with every sg_interrupt() */
/* Returns NULL without memory. `watched`: the block runs run->code with its checks, else
 * run->plain. */
sg_block *sg_block_new(sg_worker *worker, bool watched);
void sg_block_free(sg_block *b);
void sg_block_start(sg_block *b, uint64_t id);
/* Raises a fault if sg_interrupt() was called since the launch began. Its place is that of a warp
 * of the block: a kernel that never ends mostly loops there. */
void sg_block_check(sg_block *b);
/* Runs until the block has ended (returns true) or its turn is over. */
bool sg_block_run(sg_block *b, bool short_turn);

/* some.c */
/* The blocks that a check covers; NULL: all of them, or no memory. */
typedef struct sg_some sg_some;
sg_some *sg_some_new(uint64_t n_blocks, uint64_t seed);
uint64_t sg_some_count(const sg_some *s);
/* Returns the k-th block to run: first the checked ones, then the others in order. */
uint64_t sg_some_block(const sg_some *s, uint64_t k);

/* pool.c */
/* Asks the other threads for help. Each free thread calls work(run). */
void sg_pool_wake(sg_run *run, void (*work)(sg_run *run));
void sg_pool_leave(sg_run *run); /* waits until no thread works on it any more */
