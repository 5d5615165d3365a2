/* view.h: shows softgpu's report (see softgpu.h for its JSON) as text and tables for students. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"
#include "runtime/measure/table.h"

/* Appends the last error that a failed program checked, if there is no other. */
void wb_view_answered(const json_t *report, wb_buf *out);

/* Returns a table with a row for each kernel and configuration: its modelled time, what bounds it,
 * and how well it uses memory. `before` (or NULL) gets the GPU. Omits columns without a number, and
 * those of loads or stores that use all they move. With `whole`, or without a model, it has all
 * figures and the CPU's time. NULL if nothing was launched or memory runs out. */
wb_table *wb_view_counters(const json_t *report, bool whole, wb_buf *before);

/* The names of single quantities, up to NULL. */
extern const char *const wb_view_quantities[];
/* Returns one quantity, by index, for each launch or each line. NULL if none has it. */
wb_table *wb_view_quantity(const json_t *report, size_t quantity, bool lines);

/* Returns the source of the slowest kernels, each line with its share of time, sectors and
 * shared-memory passes, in colour. The report's "sources" has file texts by name. Of other files
 * only lines with costs are shown. NULL if the report has no lines. */
wb_table *wb_view_source(const json_t *report, size_t width);

/* Appends a paragraph about the columns. */
void wb_view_words(wb_buf *out);

/* Appends the most important finding, one sentence with its place, and to `others` (or NULL) all
 * others, one a line. Appends nothing if nothing was counted or modelled. */
void wb_view_findings(const json_t *report, wb_buf *first, wb_buf *others);

/* Appends what memcheck (with `races`, racecheck) found, one sentence: the fault with its place, or
 * what no launch did. */
void wb_view_verdict(const json_t *report, bool races, wb_buf *out);

/* Returns a kernel's name without parameters, malloc'd. */
char *wb_view_kernel(const json_t *launch);

/* A report may combine several runs of code with different sizes: "sized" names what had the sizes,
 * and each launch has its "size". "kept_back": the output is not shown. */

/* Returns a table of copies and fills, a row for each direction, with their time on that GPU.
 * Appends to *out what pinned memory would save. NULL without a model, or if nothing was moved. */
wb_table *wb_view_moved(const json_t *report, wb_buf *out);

/* Returns the table of modelled times; the caller frees it. Appends the GPU to `before`, and what
 * is unknown to `notes`. NULL if no launch has a time. */
wb_table *wb_view_model_table(const json_t *report, wb_buf *before, wb_buf *notes);

/* Returns true if some launch ran only some of its blocks. */
bool wb_view_sampled(const json_t *report);

/* Adds source lines to their shares ("text"), if the files exist here. */
void wb_view_quote(json_t *report);

/* Appends all of the above, as text for a terminal of that width. */
void wb_view_report(const json_t *report, bool counters, size_t width, wb_buf *out);
