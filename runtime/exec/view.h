/* view.h: softgpu's report (softgpu.h has its JSON) in words and tables a student understands. */
#ifndef WARPBOOK_EXEC_VIEW_H
#define WARPBOOK_EXEC_VIEW_H

#include <jansson.h>

#include "runtime/base/base.h"
#include "runtime/measure/table.h"

/* For a program that failed: the last error that it asked for itself, where there is no other. */
void wb_view_answered(const json_t *report, wb_buf *out);

/* A row for each kernel and configuration: its time as modelled, what bounds it, and how well it
 * uses memory; `before` (or NULL) gets which GPU the times are for. Columns without a number, and
 * of loads or stores that use all that they move, are left out. With `whole`, or without a model,
 * all figures are there, and the CPU's time in place of the model's. NULL when nothing was launched
 * or memory runs out. */
wb_table *wb_view_counters(const json_t *report, bool whole, wb_buf *before);

/* The words for what can be shown alone, up to NULL. */
extern const char *const wb_view_quantities[];
/* One of them, by its place, of each launch, large, or of each line. NULL when none has it. */
wb_table *wb_view_quantity(const json_t *report, size_t quantity, bool lines);

/* The source of the kernels that take most of the time, each line with its share of it, the sectors
 * and the passes of shared memory that it takes, in colour. "sources" of the report holds the text
 * of files by their names; of others the lines that cost something are there alone. NULL when the
 * report has no lines. */
wb_table *wb_view_source(const json_t *report, size_t width);

/* What the columns mean, a paragraph. */
void wb_view_words(wb_buf *out);

/* Appends the most important finding, one sentence with its place, and to `others` (or NULL)
 * all further ones, one a line. Appends nothing where nothing was counted or modelled. */
void wb_view_findings(const json_t *report, wb_buf *first, wb_buf *others);

/* A kernel's name without its parameters; malloc'd. */
char *wb_view_kernel(const json_t *launch);

/* A report may be put together of several, from code that ran with one size after another: "sized"
 * is what had the sizes, each launch has its "size"; "kept_back": what was printed is not shown. */

/* Copies and fills, a row for each way, with the time of all of that way on that GPU; what pinned
 * memory would spare is appended to *out. NULL without a model, or where nothing was moved. */
wb_table *wb_view_moved(const json_t *report, wb_buf *out);

/* The table alone, which the caller frees. Appends to `before` which GPU it is, and to `notes` what
 * is not known. NULL where no launch has a time. */
wb_table *wb_view_model_table(const json_t *report, wb_buf *before, wb_buf *notes);

/* Did of any launch some blocks alone run? */
bool wb_view_sampled(const json_t *report);

/* Adds the text of the source lines to their shares ("text"), if the files are here. */
void wb_view_quote(json_t *report);

/* All of the above, as text for a terminal of that width. */
void wb_view_report(const json_t *report, bool counters, size_t width, wb_buf *out);

#endif
