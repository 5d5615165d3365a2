/* view.c: the tables of counters, and softgpu's whole report as text. */

#include "runtime/base/language.h"
#include "runtime/base/scoped.h"
#include "runtime/exec/view_count.h"
#include "runtime/json/fields.h"
#include "runtime/measure/stats.h"
#include "runtime/softgpu/engine.h"

/* ---- columns ------------------------------------------------------------------------------ */

/* A sum of counters divided by another sum ("": by nothing). */
typedef struct figure {
    const char *title, *sum, *over;
    double percent; /* how many of `sum` one of `over` holds; 0: no share */
} figure;

enum { LOADS, LOADS_USED, STORES, STORES_USED, PASSES, TEX, SPLIT, LANES, INSTRUCTIONS, ATOMICS };
static const figure figures[] = {
    [LOADS] = {N_("sectors/load"), "global_load_sectors", "global_load_requests", 0},
    [LOADS_USED] = {N_("used"), "global_load_used", "global_load_sectors", VIEW_SECTOR},
    [STORES] = {N_("sectors/store"), "global_store_sectors", "global_store_requests", 0},
    [STORES_USED] = {N_("used"), "global_store_used", "global_store_sectors", VIEW_SECTOR},
    [PASSES] = {N_("passes/shared"), VIEW_PASSES, VIEW_SHARED, 0},
    [TEX] = {N_("sectors/texture"), "texture_sectors", "texture_requests", 0},
    [SPLIT] = {N_("divergent"), "divergent_branches", "branches", 1},
    [LANES] = {N_("lanes at work"), "lane_instructions", "warp_instructions", 0},
    [INSTRUCTIONS] = {N_("warp instructions"), "warp_instructions", "", 0},
    [ATOMICS] = {N_("atomic operations"), "global_atomic_operations", "", 0}};

const char *const wb_view_quantities[] = {"sectors", "used",         "passes",  "divergence",
                                          "lanes",   "instructions", "atomics", NULL};
/* `%%counters WORD` shows one figure, or two for loads and stores. */
static const struct {
    int figure;
    const char *title; /* NULL: there is no second */
} quantities[][2] = {{{LOADS, N_("sectors/load")}, {STORES, N_("sectors/store")}},
                     {{LOADS_USED, N_("used by loads")}, {STORES_USED, N_("used by stores")}},
                     {{PASSES, N_("passes/shared")}},
                     {{SPLIT, N_("branches that split a warp")}},
                     {{LANES, N_("lanes at work, of 32")}},
                     {{INSTRUCTIONS, N_("warp instructions")}},
                     {{ATOMICS, N_("atomic operations")}}};

static void figure_cell(wb_table *t, const view_count *c, int k) {
    const figure *f = &figures[k];
    double sum = view_count_sum(c, f->sum), over = view_count_sum(c, f->over);
    WB_SCOPED char *count = view_whole(sum);
    if (*f->over ? over <= 0 : sum <= 0)
        wb_table_cell(t, "-");
    else if (f->percent > 0)
        wb_table_cell(t, "%.3g %%", 100 * sum / (over * f->percent));
    else if (*f->over)
        wb_table_cell(t, "%.2f", sum / over);
    else
        wb_table_cell(t, "%s", count ? count : "");
}

static bool any_has(const view_count *all, size_t n, const char *names) {
    for (size_t i = 0; i < n; i++)
        if (view_count_sum(&all[i], names) > 0)
            return true;
    return false;
}

static bool any_figure(const view_count *all, size_t n, int k) {
    return any_has(all, n, *figures[k].over ? figures[k].over : figures[k].sum);
}

static void dims_cell(wb_table *t, const json_t *dims) {
    json_int_t d[3] = {1, 1, 1};
    for (size_t i = 0; i < 3; i++)
        d[i] = json_integer_value(json_array_get(dims, i));
    if (dims == NULL)
        wb_table_cell(t, "-");
    else if (d[2] > 1)
        wb_table_cell(t, "%lld x %lld x %lld", d[0], d[1], d[2]);
    else if (d[1] > 1)
        wb_table_cell(t, "%lld x %lld", d[0], d[1]);
    else
        wb_table_cell(t, "%lld", d[0]);
}

/* Writes "4,096 (256)": 256 of them at one address. */
static void atomics_cell(wb_table *t, const view_count *c) {
    double atomics = view_count_sum(c, figures[ATOMICS].sum);
    char *all = view_whole(atomics), *most = view_whole(c->busiest);
    if (atomics > 0)
        wb_table_cell(t, "%s (%s)", all ? all : "", most ? most : "");
    else
        wb_table_cell(t, "-");
    WB_FREE(all, most);
}

/* ---- launches ------------------------------------------------------------------------------ */

/* Columns that distinguish launches. */
typedef struct naming {
    bool calls, shapes;
} naming;

static naming naming_of(const view_count *all, size_t n) {
    naming how = {false, false};
    for (size_t i = 0; i < n; i++) {
        how.calls |= all[i].launches > 1;
        for (size_t k = 0; k < i; k++)
            how.shapes |= strcmp(all[i].kernel, all[k].kernel) == 0 &&
                          !(json_equal(json_object_get(all[i].first, "grid"),
                                       json_object_get(all[k].first, "grid")) &&
                            json_equal(json_object_get(all[i].first, "block"),
                                       json_object_get(all[k].first, "block")));
    }
    return how;
}

static void name_columns(wb_table *t, naming how) {
    wb_table_column(t, _("kernel"), false);
    if (how.calls)
        wb_table_column(t, _("launches"), true);
    if (how.shapes)
        wb_table_column(t, _("grid"), true);
    if (how.shapes)
        wb_table_column(t, _("block"), true);
}

static void name_cells(wb_table *t, const view_count *c, naming how) {
    char *name = wb_utf8_cut(c->kernel, 60);
    wb_table_row(t, false);
    wb_table_cell(t, "%s", name ? name : "");
    free(name);
    if (how.calls)
        wb_table_cell(t, "%lld", (long long)c->launches);
    if (how.shapes)
        dims_cell(t, json_object_get(c->first, "grid"));
    if (how.shapes)
        dims_cell(t, json_object_get(c->first, "block"));
}

static void host_cells(wb_table *t, const view_count *c) {
    char time[64];
    wb_table_cell(t, "%s", wb_stats_seconds(c->host, time, sizeof time));
    wb_table_cell(t, c->clocks > 0 ? "%.2f" : "-",
                  view_count_sum(c, "warp_instructions") / c->clocks);
}

static void time_cells(wb_table *t, const view_count *c) {
    char time[32];
    wb_table_texts(t, c->model ? wb_stats_seconds(c->most, time, sizeof time) : "-",
                   c->model ? wb_tr(wb_field_text(c->model, "bound")) : "-");
}

/* Returns true if all loads, or all stores, use all bytes that they move. */
static bool perfect(const view_count *all, size_t n, int used) {
    double wanted = 0, moved = 0;
    for (size_t i = 0; i < n; i++) {
        wanted += view_count_sum(&all[i], figures[used].sum);
        moved += view_count_sum(&all[i], figures[used].over) * VIEW_SECTOR;
    }
    return wanted >= 0.999 * moved;
}

/* Adds columns for figures; `whole` adds lanes and instructions. `brief` omits perfect traffic. */
static void figure_columns(wb_table *t, const view_count *all, size_t n, bool whole, bool brief,
                           bool says[ATOMICS]) {
    for (int k = LOADS; k < ATOMICS; k++) {
        says[k] = k == SPLIT ? any_has(all, n, figures[k].sum) : any_figure(all, n, k);
        says[k] &= (k <= SPLIT || whole) && !(brief && k < PASSES && perfect(all, n, k | 1));
        if (says[k])
            wb_table_column(t, wb_tr(figures[k].title), true);
    }
}

wb_table *wb_view_counters(const json_t *report, bool whole, wb_buf *before) {
    view_count *all;
    size_t n = view_count_launches(report, true, &all);
    const json_t *model = NULL;
    bool says[ATOMICS];
    naming how = naming_of(all, n);
    wb_table *t = n > 0 ? wb_table_new() : NULL;
    for (size_t i = 0; i < n && !model; i++)
        model = all[i].model;
    if (model && before)
        view_model_heading(model, before);
    how.calls |= whole;
    how.shapes |= whole;
    name_columns(t, how);
    wb_table_column(t, model && !whole ? _("time") : _("CPU time"), true);
    wb_table_column(t, model && !whole ? _("bound by") : _("warps at once"), whole || !model);
    figure_columns(t, all, n, whole, model && !whole, says);
    bool atomics = any_figure(all, n, ATOMICS);
    if (atomics)
        wb_table_column(t, _("atomics (at one address)"), true);
    for (size_t i = 0; i < n; i++) {
        name_cells(t, &all[i], how);
        if (model && !whole)
            time_cells(t, &all[i]);
        else
            host_cells(t, &all[i]);
        for (int k = LOADS; k < ATOMICS; k++)
            if (says[k])
                figure_cell(t, &all[i], k);
        if (atomics)
            atomics_cell(t, &all[i]);
    }
    view_count_free(all, n);
    return t;
}

/* ---- one quantity -------------------------------------------------------------------------- */

/* Adds a column for each of the quantity's figures with a number, also to `of`, up to -1. */
static void quantity_columns(wb_table *t, size_t quantity, const view_count *all, size_t n,
                             int of[3]) {
    int kept = 0;
    for (int i = 0; i < 2 && quantities[quantity][i].title; i++) {
        if (!any_figure(all, n, quantities[quantity][i].figure))
            continue;
        wb_table_column(t, wb_tr(quantities[quantity][i].title), true);
        of[kept++] = quantities[quantity][i].figure;
    }
    of[kept] = -1;
}

/* Returns a line's amount of the quantity: sectors, passes or instructions. */
static double amount(size_t quantity, const view_count *c) {
    double all = 0;
    for (int i = 0; i < 2 && quantities[quantity][i].title; i++) {
        const figure *f = &figures[quantities[quantity][i].figure];
        all += view_count_sum(c, f->percent == VIEW_SECTOR ? f->over : f->sum);
    }
    return all;
}

/* Sorts the lines by amount and drops those without any. Returns their number. */
static size_t keep_lines(size_t quantity, view_count *all, size_t n) {
    for (size_t i = 1; i < n; i++) {
        view_count one = all[i];
        size_t k = i;
        for (; k > 0 && amount(quantity, &all[k - 1]) < amount(quantity, &one); k--)
            all[k] = all[k - 1];
        all[k] = one;
    }
    size_t kept = n;
    while (kept > 0 && amount(quantity, &all[kept - 1]) <= 0)
        kept--;
    return kept;
}

static void line_cells(wb_table *t, const view_count *c, bool named) {
    const char *text = c->text ? c->text : "";
    WB_SCOPED char *place = view_place(c->first);
    wb_table_row(t, false);
    wb_table_cell(t, "%s", place ? place : "");
    if (named)
        wb_table_cell(t, "%s", c->kernel);
    wb_table_cell(t, "%s", text + strspn(text, " \t"));
    wb_table_code(t);
}

wb_table *wb_view_quantity(const json_t *report, size_t quantity, bool lines) {
    enum { MOST_LINES = 40 };
    view_count *all, *launches;
    int of[3];
    size_t n_launches = view_count_launches(report, true, &launches);
    size_t n = lines ? view_count_lines(report, &all) : n_launches,
           kept = lines ? keep_lines(quantity, all, n) : n;
    naming how = naming_of(launches, n_launches);
    wb_table *t = kept > 0 ? wb_table_new() : NULL;
    all = lines ? all : launches;
    how.calls = false;
    if (lines)
        wb_table_column(t, _("line"), false);
    if (!lines)
        name_columns(t, how);
    else if (n_launches > 1)
        wb_table_column(t, _("kernel"), false);
    if (lines)
        wb_table_column(t, _("source"), false);
    quantity_columns(t, quantity, all, kept, of);
    for (size_t i = 0; i < kept && (!lines || i < MOST_LINES); i++) {
        if (lines)
            line_cells(t, &all[i], n_launches > 1);
        else
            name_cells(t, &all[i], how);
        for (int k = 0; of[k] >= 0; k++) {
            figure_cell(t, &all[i], of[k]);
            if (!lines)
                wb_table_large(t);
        }
    }
    if (lines)
        view_count_free(all, n);
    view_count_free(launches, n_launches);
    if (of[0] >= 0)
        return t;
    wb_table_free(t);
    return NULL;
}

/* ---- words -------------------------------------------------------------------------------- */

void wb_view_words(wb_buf *out) {
    wb_buf_printf(
        out,
        _("A request is one load or store of a whole warp. A sector is 32 bytes: 32 threads that "
          "load neighbouring floats need 4 sectors a request. Used is the part of the moved bytes "
          "that lanes asked for. A pass is one turn of the 32 banks of shared memory. Warps at "
          "once "
          "are those that a GPU of %d multiprocessors would have at work on average, %d at most. "
          "Instructions are PTX's. A line's time is its share of its kernel's, as modelled. Of a "
          "line that loads and stores the first number is the loads'.\n"),
        SG_MODEL_SMS, SG_MODEL_WARPS);
}

static void put_error(const json_t *error, wb_buf *out) {
    wb_buf_printf(out, _("%s gave %s: %s\n"), wb_field_text(error, "call"),
                  wb_field_text(error, "error"), wb_field_text(error, "text"));
}

void wb_view_answered(const json_t *report, wb_buf *out) {
    const json_t *answered = json_object_get(report, "answered");
    if (json_is_object(answered) && !json_is_string(json_object_get(answered, "refused")) &&
        !json_is_object(json_object_get(report, "fault")) &&
        !json_is_object(json_object_get(report, "unchecked")))
        put_error(answered, out);
}

/* Shows the fault, or else the error that the program did not check. */
static void wb_view_problems(const json_t *report, wb_buf *out) {
    const json_t *fault = json_object_get(report, "fault");
    const json_t *unchecked = json_object_get(report, "unchecked");
    if (json_is_object(fault))
        wb_buf_printf(out, "%s: %s\n", wb_field_text(fault, "error"), wb_field_text(fault, "text"));
    else if (wb_field_true(unchecked, "host"))
        wb_buf_printf(out, "%s\n", wb_field_text(unchecked, "text"));
    else if (json_is_object(unchecked) && !json_is_string(json_object_get(unchecked, "refused")))
        put_error(unchecked, out);
    WB_JSON_EACH(refused, json_object_get(report, "refused")) {
        wb_buf_printf(out, _("warpbook: %s\n"), wb_field_text(refused, "text"));
    }
}

static void put_table(wb_table *t, wb_buf *out) {
    char *text = t != NULL ? wb_table_text(t) : NULL;
    if (text != NULL)
        wb_buf_printf(out, "\n%s", text);
    free(text);
    wb_table_free(t);
}

void wb_view_report(const json_t *report, bool counters, size_t width, wb_buf *out) {
    wb_buf heading = {0}, notes = {0};
    json_int_t dropped = wb_field_int(report, "dropped");
    wb_view_problems(report, out);
    if (counters)
        put_table(wb_view_counters(report, false, NULL), out);
    wb_table *times = wb_view_model_table(report, &heading, &notes);
    if (heading.len)
        wb_buf_printf(out, "\n%s", heading.data);
    put_table(times, out);
    wb_view_findings(report, out, NULL);
    wb_buf_puts(out, notes.len ? notes.data : "");
    wb_buf_free(&notes);
    put_table(wb_view_source(report, width), out);
    put_table(wb_view_moved(report, &notes), out);
    wb_buf_puts(out, notes.len ? notes.data : "");
    if (counters && dropped > 0)
        wb_buf_printf(out, _("(%lld later launches are not in the table)\n"), dropped);
    WB_BUF_FREE(&heading, &notes);
}
