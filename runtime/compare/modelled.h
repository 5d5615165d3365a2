/* modelled.h: modelled times of a comparison's rows on a GPU (view->gpu). */
#pragma once

#include "runtime/compare/view.h"

/* Begins a row: sets a library's measured time, or why there is none. */
void modelled_begin(const compare_view *view, const view_size *size, view_row *row);
/* Takes the row's times from softgpu's report. */
void modelled_take(const compare_view *view, const view_size *size, view_row *row,
                   const json_t *report);
/* Compares the rows of a size with its reference, as far as known. The range is the row's. */
void modelled_compare(view_size *size);
void modelled_free(view_model *model);

/* Returns {"gpu":"h200","seconds":..,"low":..,"high":..,"bound":"memory","limits":{..},"rate":..,
 * "unit":..,"speedup":{..}}. A measured row has "measured":"at this size"|"near 1024 x 1024" in
 * place of bound and limits. A row without a time is {"gpu":..,"why":".."}. A new reference. */
json_t *modelled_json(const compare_view *view, const view_size *size, const view_row *row);
