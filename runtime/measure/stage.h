/* stage.h: a comparison for the back row of a lecture hall: large type, one's own kernel first and
 * in its own colour, the reference as a line with its name, what changed since the last run as an
 * arrow; while it is measured, how far it is. */
#ifndef WARPBOOK_MEASURE_STAGE_H
#define WARPBOOK_MEASURE_STAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { WB_STAGE_BARS = 8 }; /* more can't be read from the back */

typedef struct wb_stage_bar {
    const char *name;
    double value;  /* 0: none yet, or none at all */
    double before; /* at the last run; 0: there was none, or of something else */
    bool yours;
    const char *note; /* in place of a value: "wrong result"; NULL: it is still to come */
} wb_stage_bar;

typedef struct wb_stage {
    const char *title; /* "transpose, float, 8192 x 8192" */
    const char *unit;  /* "GB/s": more is better */
    const char
        *words; /* below the bars: "measuring 2 of 7: ...", at the end whose times they are */
    const wb_stage_bar *bars; /* as they are drawn, at most WB_STAGE_BARS of them */
    size_t n_bars;
    const char *reference; /* its name; NULL: none is drawn */
    double reference_value;
} wb_stage;

/* A complete <svg> with a background of its own, light or dark as the reader prefers; malloc'd. */
char *wb_stage_svg(const wb_stage *stage);
/* The same in lines of text; malloc'd. */
char *wb_stage_text(const wb_stage *stage);
/* The MIME bundle for display_data and its updates: the picture as SVG and, with its words, as
 * Markdown, and the text. A new reference. */
json_t *wb_stage_bundle(const wb_stage *stage);

#endif
