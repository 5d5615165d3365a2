/* lanes.h: draws a warp's path through the source: lines down the page, and across it the 32 lanes,
 * active or not. */
#pragma once

#include "runtime/base/base.h"

typedef struct draw_step {
    const char *place;     /* "line 5", "timer.h, line 5" */
    const char *source;    /* that line's text, or NULL */
    uint32_t mask;         /* active lanes */
    uint32_t instructions; /* 0: part of the previous ones, with a predicate */
} draw_step;

typedef struct draw_lanes {
    const char *kernel;
    uint32_t block[3], warp;
    uint32_t lanes; /* threads in the warp */
    const draw_step *steps;
    size_t n;
    uint64_t left_out; /* dropped steps */
} draw_lanes;

/* Describes it: one line for each row, # for an active lane. */
void draw_lanes_words(const draw_lanes *l, wb_buf *out);

/* Draws the picture, malloc'd; NULL: out of memory. words: description for screen readers. */
char *draw_lanes_svg(const draw_lanes *l, const char *words);
