/* lanes.h: a warp's way through the source as a picture: line after line down the page, and across
 * it the 32 lanes, of which some are on. */
#ifndef WARPBOOK_DRAW_LANES_H
#define WARPBOOK_DRAW_LANES_H

#include "runtime/base/base.h"

typedef struct draw_step {
    const char *place;     /* "line 5", "timer.h, line 5" */
    const char *source;    /* that line, or NULL */
    uint32_t mask;         /* the lanes that are on */
    uint32_t instructions; /* 0: some of those before, with a predicate */
} draw_step;

typedef struct draw_lanes {
    const char *kernel;
    uint32_t block[3], warp;
    uint32_t lanes; /* that the warp has: threads of the block */
    const draw_step *steps;
    size_t n;
    uint64_t left_out; /* steps that are not there */
} draw_lanes;

/* All in words: a row a line, # for a lane that is on. */
void draw_lanes_words(const draw_lanes *l, wb_buf *out);

/* malloc'd; NULL when memory has run out. words: for those who don't see it. */
char *draw_lanes_svg(const draw_lanes *l, const char *words);

#endif
