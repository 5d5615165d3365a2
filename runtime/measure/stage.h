/* stage.h: a comparison that can be read from the back row of a lecture hall. The type is large,
 * and the user's own kernel is first, in its own colour. The reference is a line with its name. An
 * arrow shows the change since the last run. During the measurement it shows the progress. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { WB_STAGE_BARS = 8 }; /* more are unreadable from the back */

typedef struct wb_stage_bar {
    const char *name;
    double value;  /* 0: none yet, or none at all */
    double before; /* at the last run of the same comparison; 0: none */
    bool yours;
    const char *note; /* instead of a value: "wrong result"; NULL: still to come */
} wb_stage_bar;

typedef struct wb_stage {
    const char *title; /* "transpose, float, 8192 x 8192" */
    const char *unit;  /* "GB/s": more is better */
    const char *words; /* below the bars: "measuring 2 of 7: ...", then the source of the times */
    const wb_stage_bar *bars; /* in drawing order, at most WB_STAGE_BARS */
    size_t n_bars;
    const char *reference; /* its name, or NULL */
    double reference_value;
} wb_stage;

/* Returns an <svg> document with its own background in the reader's light or dark theme. The caller
 * frees it. */
char *wb_stage_svg(const wb_stage *stage);
/* Returns the same in lines of text. The caller frees it. */
char *wb_stage_text(const wb_stage *stage);
/* Returns a new reference to the MIME bundle for display_data and its updates: SVG, Markdown with
 * the picture, and text. */
json_t *wb_stage_bundle(const wb_stage *stage);
