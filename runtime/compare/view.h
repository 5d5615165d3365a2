/* view.h: the events of warpbook-compare so far, and their forms: a chart while it runs, a table
 * and a JSON document at the end. */
#pragma once

#include <jansson.h>

#include "runtime/measure/chart.h"
#include "runtime/measure/stats.h"
#include "runtime/model/gpu.h"
#include "runtime/model/reference.h"

typedef enum view_status {
    VIEW_PENDING, /* being checked and timed */
    VIEW_TIMED,
    VIEW_CHECKED,     /* right, not timed (--check) */
    VIEW_WRONG,       /* wrong result or failure; see text */
    VIEW_UNAVAILABLE, /* no such version, library or memory; see text */
    VIEW_REFUSED,     /* the launcher refused the call and wrote nothing */
    VIEW_SAMPLED,     /* not checked or timed: only some blocks ran, for a GPU's time */
} view_status;

/* A call's modelled or measured time on a GPU. */
typedef struct view_model {
    bool known;
    bool reference, exact;     /* measured; at this size or near it, else between sizes */
    double seconds, low, high; /* low and high are 0 if measured */
    double rate;               /* in the view's unit */
    char *bound, *sentence;    /* of the longest launch; NULL if measured */
    char *near;                /* the nearest measured size */
    char *why;                 /* why there is no time; NULL: there is one, or none yet */
    json_t *limits;            /* seconds, of all launches */
    wb_interval speedup;       /* against the size's reference; NAN: none */
} view_model;

typedef struct view_row { /* a kernel at a size */
    char *name, *title, *text;
    char *label; /* the label of name=label, or the name */
    bool reference, yours, host_clock;
    double bytes, flops, efficiency;
    double error; /* of real products, relative to |alpha| sum |a b| + |beta c|; 0: unknown */
    view_status status;
    double *times; /* seconds; so far, while it runs */
    size_t n_times, checks;
    double rate; /* at the median, in the view's unit */
    wb_summary summary;
    wb_interval speedup; /* against the size's reference */
    json_t *counters;    /* softgpu's, summed over the call's launches, or NULL */
    view_model model;
} view_row;

typedef struct view_size {
    char *text;
    size_t m, n, k;
    bool idle; /* a size of 0, so nothing is timed */
    bool flops;
    view_row *rows;
    size_t n_rows;
} view_size;

/* Loops over all rows, with pointers to the size and the row. */
#define VIEW_EACH_SIZE(view, size)                                                                 \
    for (view_size *size = (view)->sizes; size < (view)->sizes + (view)->n_sizes; size++)
#define VIEW_EACH_ROW(size, row)                                                                   \
    for (view_row *row = (size)->rows; row < (size)->rows + (size)->n_rows; row++)
#define VIEW_EACH(view, size, row) VIEW_EACH_SIZE(view, size) VIEW_EACH_ROW(size, row)

typedef struct view_label { /* a kernel's label */
    const char *name, *label;
} view_label;

typedef struct compare_view {
    char *what;     /* "gemm, float" */
    char *title;    /* of the chart: the same, and the modelled GPU */
    json_t *device; /* the device event; NULL: none came */
    char *type;     /* "float", "double" */
    view_size *sizes;
    size_t n_sizes, wanted_sizes;
    double done; /* 0 to 1, of all work */
    bool ended;
    double sm_hz;
    char *error; /* NULL: none */
    char *lacks; /* the kernel set has no code for this GPU: a sentence, or NULL */
    /* The GPU to model, and libraries' measured times on it; borrowed, or NULL. */
    const model_gpu *gpu;
    const model_references *references;
    const view_label *labels; /* borrowed */
    size_t n_labels;
    char *stage_size; /* --stage: the size as text, or NULL */
} compare_view;

void view_free(compare_view *view);
/* Takes one event of warpbook-compare. Ignores unknown ones. */
void view_apply(compare_view *view, const json_t *event);

/* Returns true if the row has a time, measured or modelled. */
bool view_has_time(const view_row *row);
bool view_is_soft(const compare_view *view);
/* Returns "GB/s", "TFLOP/s", or for softgpu's own times "GFLOP/s". */
const char *view_unit(const compare_view *view, const view_size *size);
/* Makes the chart of the times, or of softgpu's counts: global memory moved over needed, which
 * holds for a GPU too. Returns false if there is nothing to draw. The chart points into the view
 * and the subtitle; the caller frees chart->rows. */
typedef enum view_what { VIEW_TIMES, VIEW_TRAFFIC } view_what;
bool view_chart(const compare_view *view, view_what what, char subtitle[300], wb_chart *chart);
/* Return the whole result as text and as HTML, malloc'd. */
char *view_table_text(const compare_view *view);
char *view_table_html(const compare_view *view);
/* Returns the document of `warpbook compare --json`; a new reference. */
json_t *view_document(const compare_view *view);
