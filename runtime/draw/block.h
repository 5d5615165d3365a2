/* block.h: draws a block's warps over time: who works or waits, and when loads are in flight. */
#pragma once

#include "runtime/base/base.h"

typedef enum draw_doing {
    DRAW_IN_FLIGHT, /* a load is in flight, beside other states */
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
    uint32_t line; /* source line; 0: unknown */
} draw_span;

typedef struct draw_block {
    const char *kernel, *gpu; /* gpu: the GPU of the clocks */
    uint32_t block[3], warps;
    const draw_span *spans; /* ordered by warp */
    size_t n;
    uint64_t left_out; /* dropped spans */
} draw_block;

void draw_block_words(const draw_block *b, wb_buf *out);

/* Draws the picture, malloc'd; NULL: out of memory. words: description for screen readers. */
char *draw_block_svg(const draw_block *b, const char *words);
