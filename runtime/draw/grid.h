/* grid.h: a launch as a picture: the grid's blocks, one block's threads and where warps cut it, one
 * of these warps, and one thread with its numbers filled into the formula of its index. */
#ifndef WARPBOOK_DRAW_GRID_H
#define WARPBOOK_DRAW_GRID_H

#include "runtime/base/base.h"

typedef struct draw_grid {
    const char *kernel;
    uint32_t grid[3], block[3];         /* none of them 0 */
    uint32_t at_block[3], at_thread[3]; /* the thread that is marked; it exists */
    /* Of each warp of each block, blocks one after the other, the lanes that touched global memory;
     * NULL: not known. */
    const uint32_t *came;
} draw_grid;

void draw_grid_words(const draw_grid *g, wb_buf *out);

/* malloc'd; NULL when memory has run out. words: for those who don't see it. */
char *draw_grid_svg(const draw_grid *g, const char *words);

#endif
