/* check.c: magics that watch kernels while they run: %%counters %%memcheck %%racecheck. The
 * report they show is softgpu's (runtime/softgpu/softgpu.h), in the tables of `warpbook run`. */
#include "jupyter_kernel/magics/magics.h"

#include <stdio.h>

#include "jupyter_kernel/execution/bundle.h"
#include "runtime/exec/view.h"
#include "runtime/base/language.h"

enum { MAX_LINES = 40, PAGE_WIDTH = 120, SOURCE_WIDTH = 150 };

/* ---- %%counters --------------------------------------------------------------------------- */

/* Shows the table, frees it; false when there is none. */
static bool show_table(execution *x, wb_table *table, const char *after) {
    if (!table)
        return false;
    execution_display(x, bundle_table(table, "", after), NULL, false);
    wb_table_free(table);
    return true;
}

/* What the launches would take on a GPU, and by which lines: where the source is shown with its
 * cost, it tells that itself. */
static void show_times(execution *x, const json_t *report, bool source) {
    wb_buf before = {0}, after = {0};
    wb_table *table = wb_view_model_table(report, &before, &after);
    if (table)
        execution_display(
            x, bundle_table(table, before.data ? before.data : "", after.data ? after.data : ""),
            NULL, false);
    else if (after.len)
        execution_printf(x, "%s", after.data);
    show_table(x, source ? NULL : wb_view_model_lines(report, PAGE_WIDTH), "");
    wb_table_free(table);
    wb_buf_free(&before);
    wb_buf_free(&after);
}

static const char SOURCE_WORDS[] = WB_N(
    "Time: the line's share of its kernel's, as modelled. Sectors: of 32 bytes, that its warps "
    "moved "
    "to and from global memory; used: how much of them was asked for; of a line that loads and "
    "stores, loads / stores. Passes: turns of the banks of shared memory. The stronger the colour, "
    "the more of its column is the line's.");

static void show_counters(execution *x, const json_t *report, bool by_line, bool source) {
    wb_buf words = {0};
    wb_view_hints(report, &words);
    wb_buf_puts(&words, words.len ? "\n" : "");
    wb_view_words(&words);
    if (!show_table(x, wb_view_launches(report), words.data ? words.data : ""))
        execution_printf(x, "no kernel was launched\n");
    wb_buf_free(&words);
    show_times(x, report, source);
    if (source)
        show_table(x, wb_view_source(report, SOURCE_WIDTH), wb_tr(SOURCE_WORDS));
    if (by_line)
        show_table(x, wb_view_lines(report, MAX_LINES, PAGE_WIDTH), "");
    json_int_t dropped = json_integer_value(json_object_get(report, "dropped"));
    if (dropped > 0)
        execution_printf(x, "%" JSON_INTEGER_FORMAT " more launches are not listed\n", dropped);
}

struct counters {
    bool lines, source;
};
#define WB_RECORD struct counters
const wb_option counters_options[] = {
    WB_OPTION("--source", FLAG, source, NULL,
              "the kernels' source in colour: each line with its share of the time, its sectors "
              "and its passes of shared memory"),
    WB_OPTION("--lines", FLAG, lines, NULL, "the counts for each source line, the largest first"),
    {0}};

bool magic_counters(magic_call *c) {
    struct counters asked = {0};
    if (!magics_read_alone(c, &asked))
        return false;
    wb_result result;
    bool ok = magics_run_body(c, (wb_cell){.counters = true, .lines = asked.lines || asked.source},
                              &result);
    if (result.report)
        show_counters(c->x, result.report, asked.lines, asked.source);
    else if (ok)
        execution_printf(c->x, "nothing was counted: softgpu counts, this device does not "
                               "(`%%device soft` changes to it)\n");
    wb_result_free(&result);
    return ok;
}

/* ---- %%memcheck, %%racecheck --------------------------------------------------------------- */

static bool check(magic_call *c, wb_cell cell, const char *what) {
    if (!magics_read_alone(c, NULL))
        return false;
    wb_result result;
    bool ok = magics_run_body(c, cell, &result);
    size_t launches = json_array_size(json_object_get(result.report, "launches"));
    if (ok && result.report)
        execution_printf(c->x, "%s: nothing found in %zu kernel launch%s\n", what, launches,
                         launches == 1 ? "" : "es");
    else if (ok)
        execution_printf(c->x,
                         "%s: softgpu checks, this device does not (`%%device soft` changes to "
                         "it)\n",
                         what);
    wb_result_free(&result);
    return ok;
}

bool magic_memcheck(magic_call *c) {
    return check(c, (wb_cell){.memcheck = true, .initcheck = true}, "memcheck");
}

bool magic_racecheck(magic_call *c) {
    return check(c, (wb_cell){.racecheck = true}, "racecheck");
}
