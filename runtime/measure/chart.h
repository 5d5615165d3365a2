/* chart.h: a bar chart of measurements: an SVG for notebooks and files, text for a terminal.
 *
 * A chart answers one question: how far is each from the reference? Marks keep the given order (the
 * ladder a student climbs). The reference and the user's own code have their own colours and
 * labels, because colour is never the only sign. A line carries the reference's value across its
 * group. Colours are distinct for every kind of colour vision (Okabe and Ito, 2008).
 *
 * Bars begin at zero, because people read their length. If the largest value is more than 20 times
 * the smallest, bars would vanish. Then the chart has points on a logarithmic axis, and says so
 * (Cleveland's dot plot: people compare places, and nothing has a length). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct wb_chart_row {
    const char *name;  /* "transpose.padded" */
    const char *group; /* heading of adjacent rows ("2048 x 2048"); NULL: no groups */
    double value;      /* the length of the bar, a median */
    double low, high;  /* the whisker (quartiles); both 0: none */
    bool reference;    /* the others of its group are compared with it */
    bool yours;        /* the user's own code */
    bool pending;      /* still being measured: an empty row with "measuring ..." */
    /* Text behind the value ("too close to tell"). Without a value, the reason, listed below the
     * chart. NULL: none. */
    const char *note;
} wb_chart_row;

typedef struct wb_chart {
    const char *title;        /* "transpose, float" */
    const char *subtitle;     /* the device and the method; NULL: none */
    const char *quantity;     /* "throughput" */
    const char *unit;         /* "GB/s" */
    bool lower_is_better;     /* for times: the ratio is reference / value */
    double limit;             /* what the hardware allows, drawn as a line; 0: none */
    const char *limit_name;   /* "HBM limit" */
    const wb_chart_row *rows; /* n_rows; rows of a group are adjacent */
    size_t n_rows;
} wb_chart;

/* Returns an <svg> document with its own background in the reader's light or dark theme. The caller
 * frees it, as all strings below. */
char *wb_chart_svg(const wb_chart *chart);
/* Returns bars of block characters, at most `width` columns wide (0: 78). Ends with a newline. */
char *wb_chart_text(const wb_chart *chart, int width);

/* Returns the chart in one line of words, for readers who do not see it: "reduce, float, 2^20:
 * ...". */
char *wb_chart_words(const wb_chart *chart);

/* Returns the MIME bundle for display_data and update_display_data: Markdown with a picture as wide
 * as the cell, an SVG, and text. JupyterLab and nbconvert prefer the Markdown. Send the table
 * (table.h) as a display of its own, because front ends prefer its text/html. */
json_t *wb_chart_bundle(const wb_chart *chart);

/* Returns the speed-up of row i over its reference, or 0 if either has no value. */
double wb_chart_ratio(const wb_chart *chart, size_t i);
/* Writes the label of the bar: "1,876 GB/s · 0.45×". Returns text. */
const char *wb_chart_label(const wb_chart *chart, size_t i, char *text, size_t size);

enum { WB_CHART_TICKS = 24 };
typedef struct wb_chart_axis {
    bool logarithmic;
    double low, high; /* values at its ends; low is 0 on a linear axis */
    double ticks[WB_CHART_TICKS];
    size_t n_ticks;
} wb_chart_axis;

wb_chart_axis wb_chart_axis_of(const wb_chart *chart);
/* Returns the place of a value on the axis, 0 to 1. */
double wb_chart_place(const wb_chart_axis *axis, double value);
