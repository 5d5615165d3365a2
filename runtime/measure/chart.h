/* chart.h: a bar chart of measurements for every front end: Vega-Lite where JupyterLab draws it, an
 * SVG of our own elsewhere, text in a terminal.
 *
 * One picture answers one question: how far is each from the reference? Bars stand in the order
 * given (the ladder a student climbs), the reference differs in colour and is named so (colour is
 * never the only sign), and a dashed line carries its value across its group. Colours are from the
 * set that every kind of colour vision can tell apart (Okabe and Ito, 2008). */
#ifndef WARPBOOK_MEASURE_CHART_H
#define WARPBOOK_MEASURE_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct wb_chart_row {
    const char *name; /* "transpose.padded" */
    const char
        *group;   /* bars of one group stand together under it ("2048 x 2048"); NULL: no groups */
    double value; /* the bar, at the median */
    double low, high; /* the whisker (quartiles); both 0: none */
    bool reference;   /* what the others of the group are compared with */
    bool pending;     /* still being measured: an empty row with "measuring ..." */
    const char *note; /* one more word behind the value, or NULL: "too close to tell" */
} wb_chart_row;

typedef struct wb_chart {
    const char *title;        /* "transpose, float" */
    const char *subtitle;     /* the device and how it was measured; NULL: none */
    const char *quantity;     /* "throughput" */
    const char *unit;         /* "GB/s" */
    bool lower_is_better;     /* times: the ratio behind a bar is reference / value */
    double limit;             /* 0: none; what the hardware allows, drawn as a line */
    const char *limit_name;   /* "HBM limit" */
    const wb_chart_row *rows; /* n_rows; rows of one group stand next to each other */
    size_t n_rows;
} wb_chart;

/* A Vega-Lite v5 specification; a new reference, NULL when memory runs out. */
json_t *wb_chart_vega(const wb_chart *chart);
/* A complete <svg> document with a background of its own, light or dark as the reader prefers. */
char *wb_chart_svg(const wb_chart *chart);
/* Bars of block characters, at most `width` columns (0: 78); ends with a newline. */
char *wb_chart_text(const wb_chart *chart, int width);

/* The MIME bundle for display_data and update_display_data: Vega-Lite, SVG and text, best first for
 * each front end. Send the table (table.h) as a display of its own: JupyterLab prefers text/html to
 * Vega-Lite and would drop the chart. `text` replaces the text version where given (borrowed). */
json_t *wb_chart_bundle(const wb_chart *chart, const char *text);

/* The row that is the reference of row i's group, or NULL. */
const wb_chart_row *wb_chart_reference(const wb_chart *chart, size_t i);
/* How many times as fast as its reference row i is; 0: no reference, or nothing measured yet. */
double wb_chart_ratio(const wb_chart *chart, size_t i);
/* What stands behind the bar: "1,876 GB/s · 0.45×"; returns text. */
const char *wb_chart_label(const wb_chart *chart, size_t i, char *text, size_t size);

#endif
