/* chart.h: a bar chart of measurements: an SVG for notebooks and files, text for a terminal.
 *
 * One picture answers one question: how far is each from the reference? Marks stand in the order
 * given (the ladder a student climbs). The reference and the reader's own code differ in colour and
 * say so in words (colour is never the only sign), and a line carries the reference's value across
 * its group. Colours are from the set that every kind of colour vision can tell apart (Okabe and
 * Ito, 2008).
 *
 * Bars begin at zero, because people read their length. If the largest value is more than 20 times
 * the smallest, bars would vanish. Then the chart has points on a logarithmic axis, and says so
 * (Cleveland's dot plot: people compare places, and nothing has a length). */
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
    bool yours;       /* the reader's own code */
    bool pending;     /* still being measured: an empty row with "measuring ..." */
    /* Behind the value, as "too close to tell"; without a value the reason, which is listed below
     * the chart. NULL: none. */
    const char *note;
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

/* A complete <svg> document with a background of its own, light or dark as the reader prefers. */
char *wb_chart_svg(const wb_chart *chart);
/* Bars of block characters, at most `width` columns (0: 78); ends with a newline. */
char *wb_chart_text(const wb_chart *chart, int width);

/* The whole chart in one line of words, for those who don't see it: "reduce, float, 2^20: ...".
 * malloc'd. */
char *wb_chart_words(const wb_chart *chart);

/* The MIME bundle for display_data and update_display_data: Markdown, which JupyterLab and
 * nbconvert prefer, with a picture as wide as the cell; an SVG; and text. Send the table (table.h)
 * as a display of its own, because front ends prefer its text/html. */
json_t *wb_chart_bundle(const wb_chart *chart);

/* How many times as fast as its reference row i is; 0: no reference, or nothing measured yet. */
double wb_chart_ratio(const wb_chart *chart, size_t i);
/* What stands behind the bar: "1,876 GB/s · 0.45×"; returns text. */
const char *wb_chart_label(const wb_chart *chart, size_t i, char *text, size_t size);

enum { WB_CHART_TICKS = 24 };
typedef struct wb_chart_axis {
    bool logarithmic;
    double low, high; /* what its ends stand for; low is 0 unless it is logarithmic */
    double ticks[WB_CHART_TICKS];
    size_t n_ticks;
} wb_chart_axis;

wb_chart_axis wb_chart_axis_of(const wb_chart *chart);
/* Where on the axis a value lies, 0 to 1. */
double wb_chart_place(const wb_chart_axis *axis, double value);

#endif
