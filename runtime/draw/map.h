/* map.h: an array as a picture of who touched which of its elements: by thread, warp, block, or by
 * when. Large arrays are drawn in fields of some rows and columns each. */
#ifndef WARPBOOK_DRAW_MAP_H
#define WARPBOOK_DRAW_MAP_H

#include "runtime/base/base.h"

typedef enum draw_by { DRAW_BY_THREAD, DRAW_BY_WARP, DRAW_BY_BLOCK, DRAW_BY_TIME } draw_by;

/* Of a field: others than the one who came first came, too. */
enum { DRAW_OTHER_THREADS = 1, DRAW_OTHER_WARPS = 2, DRAW_OTHER_BLOCKS = 4 };

typedef struct draw_field {
    uint64_t first;   /* who came first: block * threads of a block + the thread in it */
    uint64_t touches; /* 0: nobody came */
    uint32_t time;    /* accesses to the array that its warp had made before; the least */
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
    uint64_t beyond;          /* of elements that lie behind the last row */
    uint32_t last_time;       /* accesses to the array of the warp that made most */
} draw_map;

void draw_map_words(const draw_map *m, wb_buf *out);

/* malloc'd; NULL when memory has run out. words: for those who don't see it. */
char *draw_map_svg(const draw_map *m, const char *words);

#endif
