/* draw.h: shared by the pictures of %%draw: the line's wish, and functions that find it in
 * softgpu's report (softgpu.h, "record"). */
#pragma once

#include "jupyter_kernel/magics/magics.h"
#include "runtime/draw/values.h"
#include "runtime/exec/view.h"

enum { DRAW_MOMENTS = 40, MOST_DRAW_MOMENTS = 200 /* by default; in one picture */ };

typedef enum draw_kind {
    DRAW_ACCESS,
    DRAW_MAP,
    DRAW_LANES,
    DRAW_BLOCK,
    DRAW_GRID,
    DRAW_VALUES,
    DRAW_KINDS
} draw_kind;

typedef struct draw_spot { /* a block or a thread */
    uint32_t at[3];
    bool said;
} draw_spot;

/* Read a draw_spot, "3", "3,1" or "3,1,0", and a draw_range, "0-7" or "3" (wb_option.read). */
bool draw_read_spot(const char *text, void *target);
bool draw_read_range(const char *text, void *target);
json_t *draw_spot_json(const draw_spot *spot); /* [3,1,0] */

typedef struct draw_call {
    magic_call *call;
    draw_kind kind;
    int cell, line; /* 0: not given */
    draw_spot block, thread;
    int64_t asked_warp, time; /* time 0: not given */
    uint32_t warp;
    const char *kernel; /* NULL: any */
    bool before;
    const char *figure; /* for access: only requests that this figure counts; NULL: all */
    const char *name;   /* a map's array */
    uint64_t rows, cols;
    int of;             /* for a map: 0 reads, 1 writes, 2 both */
    int by;             /* enum draw_by (runtime/draw/map.h) */
    char *const *names; /* n_names: variables */
    int n_names;
    draw_range moments, lanes, table_rows, table_cols;
    bool every, block_wide;
    json_t *lines; /* %%trace: [[7,9],[12,12]]; or NULL */
    const json_t *report;
} draw_call;

/* Fails with a sentence about how the line asks. */
bool draw_fails(const draw_call *d, const char *format, ...) WB_PRINTF(2, 3);
/* Fails because the wished warp ran nothing. */
bool draw_nothing(const draw_call *d);

/* Returns the wish for softgpu, as JSON. The caller frees it. */
char *draw_wish(const draw_call *d);

/* Fails with a sentence unless a launch has what the line asks for: the kernel, the block and the
 * warp. Returns true if one has it. */
bool draw_checks(const draw_call *d);
/* Fails with a sentence unless a block of that shape has the line's thread. */
bool draw_has_thread(const draw_call *d, const uint32_t block[3], const char *kernel);

/* Returns true if a launch is one of the kernel that the line asks for. */
bool draw_wanted(const draw_call *d, const json_t *launch);

/* Reads "grid" or "block" of a launch. */
void draw_shape(const json_t *launch, const char *key, uint32_t shape[3]);
uint64_t draw_block_threads(const json_t *launch);
/* Returns how many lanes the warp has. A block's last warp may have fewer than 32. */
uint32_t draw_warp_lanes(const draw_call *d, const json_t *launch);

/* Return the text of a source line (NULL: unknown), and "cell [3], line 5". malloc'd. */
char *draw_source(const json_t *report, const char *file, int line);
char *draw_place(const char *file, int line);

/* Shows a picture with its text and frees both. Fails if svg is NULL: out of memory. */
bool draw_show(draw_call *d, char *svg, wb_buf *words);

/* Returns the first wanted launch whose record has the key, or NULL. With a figure it is the last
 * one: checks of steps go from small to large. */
const json_t *draw_launch(const draw_call *d, const char *key);

/* Shows where a kernel misses a bound of a step's "counts" (labs/README.md), below an example that
 * meets it. Shows nothing if the recorded warp does not miss it. */
void draw_missed(magic_call *c, const char *kernel, const json_t *bound, const json_t *report);

bool draw_access_show(draw_call *d); /* draw_access.c */
/* draw_launch.c */
bool draw_lanes_show(draw_call *d);
bool draw_block_show(draw_call *d);
bool draw_grid_show(draw_call *d);

/* draw_map.c. The first checks the line of a map. The second returns the bytes of an element of its
 * array, or 0 if the type is unknown. */
bool draw_map_read(draw_call *d);
uint32_t draw_map_element(const draw_call *d);
bool draw_map_show(draw_call *d);

/* draw_values.c. The first checks the line. The second adds what only values need to the wish. */
bool draw_values_read(draw_call *d);
void draw_values_wish(const draw_call *d, json_t *wish);
bool draw_values_show(draw_call *d);
/* Fails with a sentence if the record ("values") has trouble with the names or the source. */
bool draw_values_trouble(const draw_call *d, const char *kernel, const json_t *values);
