/* map.h: draws an array by who touched its elements: thread, warp, block, or when. A large array is
 * drawn in fields of several rows and columns. */
#pragma once

#include "runtime/base/base.h"

typedef enum draw_by { DRAW_BY_THREAD, DRAW_BY_WARP, DRAW_BY_BLOCK, DRAW_BY_TIME } draw_by;

/* Marks a field that others than the first one touched, too. */
enum { DRAW_OTHER_THREADS = 1, DRAW_OTHER_WARPS = 2, DRAW_OTHER_BLOCKS = 4 };

typedef struct draw_field {
    uint64_t first;   /* first toucher: block * threads of a block + thread */
    uint64_t touches; /* 0: untouched */
    uint32_t time;    /* least number of earlier accesses by its warp */
    uint32_t others;
} draw_field;

typedef struct draw_map {
    const char *kernel, *name; /* name: of the array */
    enum { DRAW_READS, DRAW_WRITES, DRAW_BOTH } of;
    draw_by by;
    uint32_t grid[3], block[3];
    uint64_t rows, cols, row_step, col_step; /* of the array; of a field */
    uint64_t field_rows, field_cols;
    const draw_field *fields; /* field_rows x field_cols */
    uint64_t touches;         /* of elements, by lanes */
    uint64_t beyond;          /* of elements after the last row */
    uint32_t last_time;       /* most accesses by one warp */
} draw_map;

void draw_map_words(const draw_map *m, wb_buf *out);

/* Draws the picture, malloc'd; NULL: out of memory. words: description for screen readers. */
char *draw_map_svg(const draw_map *m, const char *words);
