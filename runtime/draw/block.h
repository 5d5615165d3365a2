/* block.h: the warps of a block in time, as a picture: who works, who waits for what, and when
 * loads are on their way. */
#ifndef WARPBOOK_DRAW_BLOCK_H
#define WARPBOOK_DRAW_BLOCK_H

#include "runtime/base/base.h"

typedef enum draw_doing {
    DRAW_IN_FLIGHT, /* a load is on its way; beside anything else */
    DRAW_WORKS,
    DRAW_ARITHMETIC, /* waits for a result */
    DRAW_LOAD,
    DRAW_SHARED,
    DRAW_ATOMIC,
    DRAW_BARRIER,
    DRAW_SLEEP,
    DRAW_OTHER_BLOCK,
    DRAW_DOINGS
} draw_doing;

typedef struct draw_span {
    uint32_t warp, from, to; /* clocks */
    draw_doing what;
    uint32_t line; /* of the source; 0: not known */
} draw_span;

typedef struct draw_block {
    const char *kernel, *gpu; /* gpu: whose clock it is */
    uint32_t block[3], warps;
    const draw_span *spans; /* ordered by warp */
    size_t n;
    uint64_t left_out; /* spans that are not there */
} draw_block;

void draw_block_words(const draw_block *b, wb_buf *out);

/* malloc'd; NULL when memory has run out. words: for those who don't see it. */
char *draw_block_svg(const draw_block *b, const char *words);

#endif
