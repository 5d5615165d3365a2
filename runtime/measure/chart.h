/* chart.h: a bar chart of measurements for every front end: Vega-Lite where JupyterLab draws it, an
 * SVG of our own elsewhere, text in a terminal.
 *
 * One picture answers one question: how far is each from the reference? Marks stand in the order
 * given (the ladder a student climbs). The reference and the reader's own code differ in colour and
 * say so in words (colour is never the only sign), and a line carries the reference's value across
 * its group. Colours are from the set that every kind of colour vision can tell apart (Okabe and
 * Ito, 2008).
 *
 * Bars begin at zero, for their length is what is read off. Where the largest value is more than 20
 * times the smallest, bars would vanish: then there are points on a logarithmic axis, which says so
 * (Cleveland's dot plot: places are compared, and nothing is drawn that has a length).
 */
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

/* The whole chart in one line of words, for those who don't see it: "reduce, float, 2^20: ...".
 * malloc'd. */
char *wb_chart_words(const wb_chart *chart);

/* The MIME bundle for display_data and update_display_data: Vega-Lite, SVG and text, best first for
 * each front end; and Markdown, which is the SVG with its words as alternative text: what nbconvert
 * takes for web pages, where it would put a bare SVG without any. Send the table (table.h) as a
 * display of its own: JupyterLab prefers text/html to Vega-Lite and would drop the chart. `text`
 * replaces the text version where given (borrowed). */
json_t *wb_chart_bundle(const wb_chart *chart, const char *text);

/* An SVG as Markdown with words for those who don't see it: an <img> with the picture in its
 * address. malloc'd. */
char *wb_chart_markdown(const char *svg, const char *words);

/* The row that is the reference of row i's group, or NULL. */
const wb_chart_row *wb_chart_reference(const wb_chart *chart, size_t i);
/* How many times as fast as its reference row i is; 0: no reference, or nothing measured yet. */
double wb_chart_ratio(const wb_chart *chart, size_t i);
/* What stands behind the bar: "1,876 GB/s · 0.45×"; returns text. */
const char *wb_chart_label(const wb_chart *chart, size_t i, char *text, size_t size);

/* ---- for the drawings ---------------------------------------------------------------------- */

/* How many groups there are; with one, its name belongs into the title. */
size_t wb_chart_groups(const wb_chart *chart);
/* The name that stands above row i where several groups begin one after the other, or NULL. */
const char *wb_chart_heading(const wb_chart *chart, size_t i);
/* The title, with the only group's name; returns text. */
const char *wb_chart_title(const wb_chart *chart, char *text, size_t size);

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
/* What is measured, which way is better, that the axis is logarithmic, what the lines are;
 * malloc'd. */
char *wb_chart_axis_title(const wb_chart *chart, const wb_chart_axis *axis);
/* Breaks a text into lines of at most `columns` where it has blanks, but for those of a size (2048
 * × 2048), and beside Chinese letters; a new array of strings. */
json_t *wb_chart_lines(const char *text, size_t columns);

#endif
