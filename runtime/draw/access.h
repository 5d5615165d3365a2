/* access.h: draws one memory request of a warp: its lanes, and below them the lines of 128 bytes
 * and the sectors of 32 that were moved, or for shared memory the banks and passes. */
#pragma once

#include "runtime/base/base.h"

typedef struct draw_access {
    const char *heading; /* above it, such as "before"; or NULL */
    const char *place;   /* "cell [3], line 5" */
    const char *source;  /* the text of that line, or NULL */
    const char *kernel;  /* its name; NULL: an example, not a run */
    const char *array;   /* the array's name, or NULL */
    const char *kind;    /* "load", "store", "atomic" */
    bool shared;
    uint32_t block[3], warp;
    uint32_t bytes;               /* for each lane */
    uint32_t mask;                /* active lanes */
    uint64_t at[32];              /* addresses; in shared memory, offsets */
    uint64_t base;                /* of the array; 0: unknown */
    uint32_t moved;               /* counted sectors or passes */
    uint64_t time, times;         /* index and number of the warp's requests here */
    uint64_t all_moved, all_used; /* over all of these: sectors (passes), and bytes requested */
} draw_access;

/* Returns the sectors or passes of the addresses as drawn. It must equal `moved`. */
uint32_t draw_access_moved(const draw_access *a);

/* Returns the bytes that the lanes request, each once. */
uint32_t draw_access_used(const draw_access *a);

/* Describes it in a few lines. */
void draw_access_words(const draw_access *a, wb_buf *out);

/* Draws n requests below each other. A heading begins a group of them. malloc'd; NULL if memory
 * runs out. words: the description for screen readers. */
char *draw_access_svg(const draw_access *list, size_t n, const char *words);
