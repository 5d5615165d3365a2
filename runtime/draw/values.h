/* values.h: draws what variables held: a row a moment, a column a lane; arrays at barriers. */
#pragma once

#include "runtime/base/base.h"

typedef struct draw_range { /* first..last; all-zero: not given */
    uint64_t first, last;
    bool said;
} draw_range;

enum { DRAW_WIDE_WARPS = 8 /* side by side in a picture of a block */ };

typedef struct draw_variable {
    const char *name;
    bool is_array;
    uint64_t rows, cols; /* of an array; rows 0: as many as its values fill */
} draw_variable;

typedef struct draw_moment {
    const char *place;  /* "line 5", "line 5, round 2", "barrier, line 9" */
    const char *source; /* that line's text, or NULL */
    bool of_arrays;
    /* By warp, in a picture of one warp only the first. The lanes of the line; a line for each
     * variable: texts with a tab behind each, a * before those that changed. "": unknown. NULL: the
     * warp did not come here. */
    uint32_t mask[DRAW_WIDE_WARPS];
    const char *values[DRAW_WIDE_WARPS];
} draw_moment;

typedef struct draw_values {
    const char *kernel;
    uint32_t block[3], warp;
    bool block_wide; /* all warps of the block; warp is 0 */
    uint32_t lanes;  /* threads in the warp, or in the block */
    const draw_variable *variables;
    size_t n_variables;
    const draw_moment *moments;
    size_t n;
    uint64_t first, all, same;    /* number of the first moment; how many there were; lines that
                                     changed nothing and are left out */
    bool before;                  /* values before the line */
    bool every;                   /* also moments in which nothing that is shown has changed */
    draw_range shown, rows, cols; /* lanes; of arrays */
} draw_values;

/* Describes it: a line for each moment and variable. A * marks a changed number. */
void draw_values_words(const draw_values *v, wb_buf *out);

/* Says which moments are left out: all but `n` from `first` on. */
void draw_values_left(uint64_t first, uint64_t n, uint64_t all, wb_buf *out);

/* Draws the picture, malloc'd; NULL: out of memory. words: description for screen readers. */
char *draw_values_svg(const draw_values *v, const char *words);
