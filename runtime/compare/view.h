/* view.h: what warpbook-compare has said so far, and how it is shown: a chart while it runs, a
 * table and a JSON document at the end. */
#ifndef WARPBOOK_COMPARE_VIEW_H
#define WARPBOOK_COMPARE_VIEW_H

#include <jansson.h>

#include "runtime/measure/chart.h"
#include "runtime/measure/stats.h"
#include "runtime/model/gpu.h"
#include "runtime/model/reference.h"

typedef enum view_status {
    VIEW_PENDING, /* being checked and timed */
    VIEW_TIMED,
    VIEW_CHECKED,     /* right, and not to be timed (--check) */
    VIEW_WRONG,       /* a wrong result, or it failed: text says how */
    VIEW_UNAVAILABLE, /* no such version, library or memory: text says which */
    VIEW_REFUSED,     /* its launcher does not take this call, says so and wrote nothing */
    VIEW_SAMPLED,     /* not checked nor timed: some blocks ran, for a GPU's time */
} view_status;

/* What a call takes on a GPU that is not here. */
typedef struct view_model {
    bool known;
    bool reference, exact;     /* measured there; at this very size, or near, else between sizes */
    double seconds, low, high; /* low and high are 0 where it was measured */
    double rate;               /* in the view's unit */
    char *bound, *sentence;    /* of the launch that takes longest; NULL where it was measured */
    char *near;                /* the nearest size that was measured */
    char *why;                 /* why there is no time; NULL: there is, or nothing was heard yet */
    json_t *limits;            /* seconds, of all launches */
    wb_interval speedup;       /* against the size's reference; NAN: there is none */
} view_model;

typedef struct view_row { /* a kernel at a size */
    char *name, *title, *text;
    char *label; /* what it is called where it is shown: name=label of the call, or its name */
    bool reference, yours, host_clock;
    double bytes, flops, efficiency;
    double
        error; /* a product of reals: the largest over |alpha| sum |a b| + |beta c|; 0: unknown */
    view_status status;
    double *times; /* seconds; while it runs those seen so far */
    size_t n_times, checks;
    double rate; /* at the median, in the view's unit */
    wb_summary summary;
    wb_interval speedup; /* against the size's reference */
    json_t *counters;    /* softgpu's, summed over the call's launches; NULL: none */
    view_model model;
} view_row;

typedef struct view_size {
    char *text;
    size_t m, n, k;
    bool idle; /* a size of 0: nothing to do, so nothing is timed */
    bool flops;
    view_row *rows;
    size_t n_rows;
} view_size;

typedef struct view_label { /* what a kernel is to be called */
    const char *name, *label;
} view_label;

typedef struct compare_view {
    char *title;    /* of the chart */
    json_t *device; /* the device event; NULL: none came */
    char *type;     /* "float", "double" */
    view_size *sizes;
    size_t n_sizes, wanted_sizes;
    double done; /* 0 to 1, of everything */
    bool ended;
    double sm_hz;
    char *error; /* NULL: none */
    char *lacks; /* a sentence: the kernel set has no code for this GPU; NULL: it has */
    /* The GPU whose times are shown in place of the CPU's, and what libraries took there; borrowed,
     * NULL: none. */
    const model_gpu *gpu;
    const model_references *references;
    const view_label *labels; /* borrowed */
    size_t n_labels;
    char *stage_size; /* on stage: the size that is shown, in words; NULL: not there */
} compare_view;

void view_free(compare_view *view);
/* Takes one event of warpbook-compare; what it does not know it leaves alone. */
void view_apply(compare_view *view, const json_t *event);

/* Has the row a time, the CPU's or a GPU's as modelled? */
bool view_has_time(const view_row *row);
bool view_is_soft(const compare_view *view);
/* "GB/s", "TFLOP/s", or of softgpu's own times "GFLOP/s". */
const char *view_unit(const compare_view *view, const view_size *size);
/* The chart of the times; or of what softgpu counted: global memory moved over global memory
 * needed, which is true of a GPU too, where the times are only the CPU's. Returns false if there is
 * nothing to draw. The chart's parts point into the view and the subtitle; the caller frees
 * chart->rows. */
typedef enum view_what { VIEW_TIMES, VIEW_TRAFFIC } view_what;
bool view_chart(const compare_view *view, view_what what, char subtitle[300], wb_chart *chart);
/* The whole result as text and as HTML; malloc'd. */
char *view_table_text(const compare_view *view);
char *view_table_html(const compare_view *view);
/* The document `warpbook compare --json` prints; a new reference. */
json_t *view_document(const compare_view *view);

#endif
