/* view_count.h: softgpu's counters and modelled times, summed by launch or by source line. */
#pragma once

#include "runtime/exec/view.h"

enum { VIEW_COUNTS = 512, VIEW_SECTOR = 32 };
#define VIEW_SECTORS                                                                               \
    "global_load_sectors global_store_sectors global_atomic_sectors texture_sectors"
#define VIEW_PASSES "shared_load_wavefronts shared_store_wavefronts shared_atomic_wavefronts"
#define VIEW_SHARED "shared_load_requests shared_store_requests shared_atomic_requests"

typedef struct view_count {
    const json_t *first; /* a launch, or a line; borrowed from the report */
    const char *symbol;  /* its kernel's symbol; borrowed from the report */
    char *kernel;        /* the kernel's name without parameters */
    json_int_t launches;
    double host;             /* seconds on the CPU */
    double seconds, most;    /* modelled: the sum, and the longest launch */
    const json_t *model;     /* the longest one's, or NULL */
    const json_t *untimed;   /* the model of a launch without a time, or NULL */
    const char *text;        /* a line's text, or NULL */
    json_t *sums;            /* counters by name; NULL: none */
    double busiest, threads; /* operations at one address in one launch, and its threads */
    double clocks;           /* warp clocks, to compute active warps */
} view_count;

/* Returns the number of entries in *all: one for each kernel, with `shapes` one for each of its
 * sizes, configurations and times. The caller frees them with view_count_free(). */
size_t view_count_launches(const json_t *report, bool shapes, view_count **all);
/* Does the same for each line, separately for each kernel that ran it. */
size_t view_count_lines(const json_t *report, view_count **all);
void view_count_free(view_count *all, size_t n);

/* Returns the sum of the counters in `names`, separated by blanks. */
double view_count_sum(const view_count *c, const char *names);

/* The functions below return malloc'd strings. "cell [3], line 12" or "tile.cuh, line 3". */
char *view_place(const json_t *line);
/* Returns a line's main limit, and the next one if it is at least half of it. */
char *view_spent_on(const json_t *line);
/* Returns a count, "30" or "12,345". */
char *view_whole(double value);
/* Appends which GPU the times are for. */
void view_model_heading(const json_t *model, wb_buf *out);
