/* view.h: softgpu's report (softgpu.h has its JSON) in words and tables a student understands. */
#ifndef WARPBOOK_EXEC_VIEW_H
#define WARPBOOK_EXEC_VIEW_H

#include <jansson.h>

#include "runtime/base/base.h"
#include "runtime/measure/table.h"

/* For a program that failed: the last error that it asked for itself, where there is no other. */
void wb_view_answered(const json_t *report, wb_buf *out);

/* A row for each kernel and launch configuration: how often, how long, and with counters how well
 * it uses memory. NULL when nothing was launched or memory runs out. */
wb_table *wb_view_launches(const json_t *report);

/* A row for each source line that moves data, the ones that move most first, at most `max`, with
 * their text where it was quoted, in at most so many columns. NULL when the report has no lines. */
wb_table *wb_view_lines(const json_t *report, size_t max, size_t width);

/* The source of the kernels that take most of the time, each line with its share of it, the sectors
 * and the passes of shared memory that it takes, in colour. "sources" of the report holds the text
 * of files by their names; of others the lines that cost something are there alone. NULL when the
 * report has no lines. */
wb_table *wb_view_source(const json_t *report, size_t width);

/* What the columns mean, a paragraph. */
void wb_view_words(wb_buf *out);

/* Sentences on what the counters say is worth fixing, one a line; nothing when all is well. */
void wb_view_hints(const json_t *report, wb_buf *out);

/* For a report put together of several, from code that ran with one size after another: "sized" is
 * what had the sizes, each launch has its "size"; "kept_back": what was printed is not shown.
 *
 * What the launches would take on the GPU that they were traced for: a table, what holds the
 * longest of them up, and why there is no time for others. Nothing without a model. */
void wb_view_models(const json_t *report, size_t width, wb_buf *out);
/* Copies and fills, a row for each way, with the time of all of that way on that GPU; what pinned
 * memory would spare is appended to *out. NULL without a model, or where nothing was moved. */
wb_table *wb_view_moved(const json_t *report, wb_buf *out);

/* The same with the table by itself, which the caller frees: the words before and after it. NULL
 * where no launch has a time. */
wb_table *wb_view_model_table(const json_t *report, wb_buf *before, wb_buf *after);

/* Did of any launch some blocks alone run? */
bool wb_view_sampled(const json_t *report);

/* Adds the text of the source lines to their shares ("text"), if the files are here. */
void wb_view_quote(json_t *report);
/* Which lines of the source the time of the longest launches goes to: a table at most so many
 * columns wide, which the caller frees. NULL where nothing is known of lines. */
wb_table *wb_view_model_lines(const json_t *report, size_t width);

/* All of the above, as text for a terminal of that width. */
void wb_view_report(const json_t *report, bool counters, size_t width, wb_buf *out);

#endif
