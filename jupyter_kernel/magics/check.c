/* check.c: magics that watch kernels while they run: %%counters, %%memcheck, %%racecheck. They show
 * softgpu's report (runtime/softgpu/softgpu.h) in the tables of `warpbook run`. */
#include "jupyter_kernel/magics/magics.h"

#include "jupyter_kernel/execution/bundle.h"
#include "runtime/exec/view.h"

enum { PAGE_WIDTH = 200 };

/* ---- %%counters --------------------------------------------------------------------------- */

struct counters {
    bool lines, source;
    size_t quantity; /* the quantity to show alone; the number of quantities: none */
};
#define WB_RECORD struct counters
const wb_option counters_options[] = {
    WB_OPTION("--source", FLAG, source, NULL,
              "the kernels' source in colour: each line with its share of the time, its sectors "
              "and its passes of shared memory"),
    WB_OPTION("--lines", FLAG, lines, NULL, "the counts of each source line that costs something"),
    {0}};

/* Adds all other findings and tables. A notebook folds them away. */
static void put_details(bundle_page *page, const json_t *report, const char *others) {
    WB_SCOPED_BUF wb_buf words = {0};
    bundle_fold(page, _("Details: other findings, limits, lines, explanations"));
    bundle_words(page, others);
    bundle_rows(page, wb_view_model_table(report, NULL, &words));
    bundle_rows(page, wb_view_counters(report, true, NULL));
    bundle_rows(page, wb_view_source(report, PAGE_WIDTH));
    wb_view_words(&words);
    bundle_words(page, words.data ? words.data : "");
}

static void put_counters(bundle_page *page, json_t *report, const struct counters *asked) {
    WB_SCOPED_BUF wb_buf before = {0}, first = {0}, others = {0};
    wb_table *table = wb_view_counters(report, false, &before);
    wb_view_findings(report, &first, &others);
    bundle_words(page, before.len ? before.data : "");
    bundle_rows(page, table);
    bundle_words(page, first.len ? first.data : "");
    if (asked->source)
        bundle_rows(page, wb_view_source(report, PAGE_WIDTH));
    json_object_del(report, "sources"); /* from here on, only lines with a cost */
    if (asked->lines)
        bundle_rows(page, wb_view_source(report, PAGE_WIDTH));
    if (!asked->lines && !asked->source)
        wb_buf_puts(&page->text, _("(%%counters --lines and %%counters --source show the "
                                   "lines.)\n"));
    put_details(page, report, others.len ? others.data : "");
}

/* Shows one quantity for each launch, in large type, and for each line. */
static void put_quantity(bundle_page *page, const json_t *report, size_t quantity) {
    wb_table *table = wb_view_quantity(report, quantity, false);
    if (!table)
        bundle_words(page, _("No launch has any of that."));
    bundle_rows(page, table);
    bundle_rows(page, wb_view_quantity(report, quantity, true));
}

static void show_counters(execution *x, json_t *report, const struct counters *asked) {
    bundle_page page = {0};
    json_int_t dropped = wb_field_int(report, "dropped");
    if (json_array_size(json_object_get(report, "launches")) == 0) {
        execution_printf(x, _("no kernel was launched\n"));
        return;
    }
    if (wb_view_quantities[asked->quantity])
        put_quantity(&page, report, asked->quantity);
    else
        put_counters(&page, report, asked);
    execution_display(x, bundle_page_done(&page), NULL, false);
    if (dropped > 0)
        execution_printf(x, _("%lld more launches are not listed\n"), (long long)dropped);
}

static bool read_quantity(magic_call *c, struct counters *asked) {
    const char *const *words = wb_view_quantities;
    size_t n = 0;
    while (words[n])
        n++;
    asked->quantity = n;
    if (c->n_plain == 0)
        return true;
    for (size_t k = 0; k < n; k++)
        if (strcmp(words[k], c->plain[0]) == 0)
            asked->quantity = k;
    if (asked->quantity == n)
        return magics_misuse(c, _("'%s' is no quantity%s"), c->plain[0],
                             wb_text_meant(c->plain[0], words, n));
    if (c->n_plain > 1)
        return magics_misuse(c, _("'%s' is too much: one quantity is shown"), c->plain[1]);
    return (!asked->lines && !asked->source) ||
           magics_misuse(c,
                         _("a quantity is shown with its lines; leave out --lines and --source"));
}

bool magic_counters(magic_call *c) {
    struct counters asked = {0};
    if (!magics_read(c, &asked) || !read_quantity(c, &asked))
        return false;
    if (magics_empty_body(c))
        return magics_misuse(c, _("the cell is empty"));
    SCOPED_RESULT wb_result result;
    bool ok = magics_run_body(c, (wb_cell){.counters = true, .lines = true}, &result);
    if (result.report)
        show_counters(c->x, result.report, &asked);
    else if (ok)
        execution_printf(c->x, _("nothing was counted: softgpu counts, this device does not "
                                 "(`%%device soft` changes to it)\n"));
    return ok;
}

/* ---- %%memcheck, %%racecheck --------------------------------------------------------------- */

/* The verdict stands above the error of a fault that the cell did not handle. */
bool magic_check(magic_call *c) {
    bool races = strcmp(c->magic->name, "racecheck") == 0;
    if (!magics_read_alone(c, NULL))
        return false;
    SCOPED_RESULT wb_result result;
    WB_SCOPED_BUF wb_buf verdict = {0};
    bool ok = magics_run_body(
        c, (wb_cell){.memcheck = !races, .initcheck = !races, .racecheck = races}, &result);
    if (result.report && (ok || json_is_object(json_object_get(result.report, "fault"))))
        wb_view_verdict(result.report, races, &verdict);
    else if (ok)
        execution_printf(c->x, _("Nothing was checked: softgpu checks, this device does not "
                                 "(`%%device soft` changes to it).\n"));
    execution_stream(c->x, 1, verdict.data ? verdict.data : "", verdict.len);
    return ok;
}
