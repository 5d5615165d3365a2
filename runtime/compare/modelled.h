/* modelled.h: the times of a comparison's rows on a GPU that is not here (view->gpu). */
#ifndef WARPBOOK_COMPARE_MODELLED_H
#define WARPBOOK_COMPARE_MODELLED_H

#include "runtime/compare/view.h"

/* A row as it begins: a library's time is one that was measured, and some kernels have none. */
void modelled_begin(const compare_view *view, const view_size *size, view_row *row);
/* What softgpu's report says of the row's call. */
void modelled_take(const compare_view *view, const view_size *size, view_row *row,
                   const json_t *report);
/* How the rows of a size stand to its reference, as far as is known; the range is the row's own,
 * the reference taken as it is. */
void modelled_compare(view_size *size);
void modelled_free(view_model *model);

/* {"gpu":"h200","seconds":..,"low":..,"high":..,"bound":"memory","limits":{..},"rate":..,"unit":..,
 * "speedup":{..}}; "measured":"at this size"|"near 1024 x 1024" in place of bound and limits where
 * it was; {"gpu":..,"why":".."} where there is no time. A new reference. */
json_t *modelled_json(const compare_view *view, const view_size *size, const view_row *row);

#endif
