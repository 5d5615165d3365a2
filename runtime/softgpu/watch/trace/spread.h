/* spread.h: chooses the blocks to trace in a launch without a sample, and scales their work up to
 * the whole launch. */
#pragma once

#include "runtime/softgpu/watch/trace/sample.h"

typedef struct sg_spread {
    uint64_t n_blocks, seed;
    uint64_t ended, close;  /* blocks that ended; those of them that were traced */
    sg_work ran, ran_close; /* their work */
    sg_work most_close;     /* of each kind, the most work of a traced block */
    bool missed;            /* a block that was not traced did far more */
} sg_spread;

/* Returns true if the block is to be traced. The seed draws one block in each part of the grid.
 * After a block that did far more than the traced ones, it draws half of all blocks. */
bool sg_spread_has(const sg_spread *s, uint64_t block);
/* Counts a block that ended. `close`: it was traced. */
void sg_spread_ends(sg_spread *s, const sg_work *work, bool close);

/* Returns the work of all blocks, divided by the work scaled up from the traced ones. Returns 1 if
 * not all have ended. Sets *unseen if the ratio is too large for a scaled time. */
double sg_spread_beside(const sg_spread *s, int kind, bool *unseen);
