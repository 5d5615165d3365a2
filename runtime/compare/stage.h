/* stage.h: `compare --stage`: a few kernels at one size, for the back row (measure/stage.h draws
 * them). */
#ifndef WARPBOOK_COMPARE_STAGE_H
#define WARPBOOK_COMPARE_STAGE_H

#include "kernels/registry.h"
#include "runtime/compare/view.h"

enum { STAGE_MOST = 8 }; /* kernels that can be read from the back */

/* What a word's kernel is to be called: of "transpose.padded=with padding" the part behind the
 * sign, which is taken off the word; NULL: it has no label. */
char *stage_label(char *word);

/* The size that is shown where none is given, and a small one of the same kind as `size`, at which
 * results are checked in no time. */
const char *stage_size(wbk_shape shape);
const char *stage_small_size(wbk_shape shape, const char *size);

/* How far the comparison is, or whose times they are once it is over; malloc'd. */
char *stage_words(const compare_view *view);

/* The bars of the view's last size, the user's own first. `names`: what is to come, while the view
 * has no rows yet; the user's own have a label alone. `before`: what stage_state gave at an earlier
 * run, or NULL. A MIME bundle. */
json_t *stage_bundle(const compare_view *view, const view_label *names, size_t n_names,
                     const char *words, const char *before);
/* The same of a comparison that is over, as an SVG; malloc'd. */
char *stage_picture(const compare_view *view, const char *before);

/* What the next run is compared with: JSON text, malloc'd; NULL where nothing was timed. Of a
 * kernel that has no time now `before` is kept. */
char *stage_state(const compare_view *view, const char *before);

/* Is there a kernel without a time, of which the table says why? */
bool stage_went_wrong(const compare_view *view);

#endif
