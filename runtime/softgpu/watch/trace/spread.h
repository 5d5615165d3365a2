/* spread.h: a launch whose blocks do not follow from a sample. Chooses the blocks to look at, and
 * scales their work up to all of the launch. */
#ifndef SOFTGPU_SPREAD_H
#define SOFTGPU_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/softgpu/watch/trace/sample.h"

typedef struct sg_spread {
    uint64_t n_blocks, seed;
    uint64_t ended, close;  /* blocks that ended; those of them that were looked at */
    sg_work ran, ran_close; /* their work */
    sg_work most_close;     /* the most that a block did which was looked at, of each kind */
    bool missed;            /* a block that was not looked at did far more */
} sg_spread;

/* Returns true if the block is to be looked at. Blocks are spread evenly over the grid, and drawn
 * by the seed. Behind a block that did far more than those looked at, half of all blocks are drawn.
 */
bool sg_spread_has(const sg_spread *s, uint64_t block);
void sg_spread_ends(sg_spread *s, const sg_work *work, bool close);

/* Returns the work of all blocks, divided by the work scaled up from those looked at. Returns 1 if
 * not all have ended. Sets *unseen if the ratio is too large to follow from them. */
double sg_spread_beside(const sg_spread *s, int kind, bool *unseen);

#endif
