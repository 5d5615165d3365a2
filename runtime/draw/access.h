/* access.h: one request of a warp to memory as a picture: its lanes above; below them the lines of
 * 128 bytes and sectors of 32 that were moved for it, or, of shared memory, the banks and the
 * passes over them. */
#ifndef WARPBOOK_DRAW_ACCESS_H
#define WARPBOOK_DRAW_ACCESS_H

#include "runtime/base/base.h"

typedef struct draw_access {
    const char *heading; /* above all else of it: "before"; or NULL */
    const char *place;   /* "cell [3], line 5" */
    const char *source;  /* that line, or NULL */
    const char *kernel;  /* its name */
    const char *array;   /* the name of what is asked for, or NULL */
    const char *kind;    /* "load", "store", "atomic" */
    bool shared;
    uint32_t block[3], warp;
    uint32_t bytes;               /* that a lane asks for */
    uint32_t mask;                /* the lanes */
    uint64_t at[32];              /* addresses; of shared memory, from its beginning */
    uint64_t base;                /* of the array; 0: not known */
    uint32_t moved;               /* as counted: sectors, or passes */
    uint64_t time, times;         /* the request, of so many of the warp's at this place */
    uint64_t all_moved, all_used; /* of all those: sectors (passes); bytes that were asked for */
} draw_access;

/* What the addresses come to, as it is drawn; `moved` must be the same. */
uint32_t draw_access_moved(const draw_access *a);

/* The bytes that the lanes ask for, each once. */
uint32_t draw_access_used(const draw_access *a);

/* All in words, a few lines. */
void draw_access_words(const draw_access *a, wb_buf *out);

/* The picture of n requests, one below the other; `beside`: the n_before ones left of them, for
 * comparison. malloc'd; NULL when memory has run out. words: for those who don't see it. */
char *draw_access_svg(const draw_access *list, size_t n, const draw_access *before, size_t n_before,
                      const char *words);

#endif
