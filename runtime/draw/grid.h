/* grid.h: draws a launch: the grid's blocks, one block's threads with its warps, one warp, and one
 * thread with the formula of its index. */
#pragma once

#include "runtime/base/base.h"

typedef struct draw_grid {
    const char *kernel;
    uint32_t grid[3], block[3];         /* never 0 */
    uint32_t at_block[3], at_thread[3]; /* the marked thread; it exists */
    /* For each warp of each block: the lanes that touched global memory; NULL: unknown. */
    const uint32_t *came;
} draw_grid;

void draw_grid_words(const draw_grid *g, wb_buf *out);

/* Draws the picture, malloc'd; NULL: out of memory. words: description for screen readers. */
char *draw_grid_svg(const draw_grid *g, const char *words);
