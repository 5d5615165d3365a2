/* stage.h: `compare --stage`: a few kernels at one size for a lecture hall (measure/stage.h). */
#pragma once

#include "kernels/registry.h"
#include "runtime/compare/view.h"

enum { STAGE_MOST = 8 }; /* kernels readable from the back row */

/* Splits "transpose.padded=with padding" and returns the label, or NULL if there is none. */
char *stage_label(char *word);

/* Return the default size, and a small one of the same kind as `size`, for quick checks. */
const char *stage_size(wbk_shape shape);
const char *stage_small_size(wbk_shape shape, const char *size);

/* Returns the progress, or at the end whose times they are; malloc'd. */
char *stage_words(const compare_view *view);

/* Returns the bars of the view's last size, the user's own first, as a MIME bundle. `names` lists
 * the kernels until the view has rows; the user's have only a label. `before` is an earlier
 * stage_state, or NULL. */
json_t *stage_bundle(const compare_view *view, const view_label *names, size_t n_names,
                     const char *words, const char *before);
/* Returns a finished comparison as SVG, malloc'd. */
char *stage_picture(const compare_view *view, const char *before);

/* Returns the state for the next run: JSON, malloc'd; NULL if nothing was timed. A kernel without a
 * time keeps that of `before`. */
char *stage_state(const compare_view *view, const char *before);

/* Returns true if a kernel has no time, and the table says why. */
bool stage_went_wrong(const compare_view *view);
