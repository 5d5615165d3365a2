/* show.c: shows the view as chart, table and document. */
#include <ctype.h>
#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/compare/modelled.h"
#include "runtime/compare/view.h"
#include "runtime/json/fields.h"
#include "runtime/measure/table.h"

/* Two medians that differ by less count as equal, however narrow the interval. */
static const double NOISE_FLOOR = 0.005;

static void put_subtitle(const compare_view *view, char text[300]) {
    const char *name = wb_field_string(view->device, "name");
    if (view->gpu)
        snprintf(text, 300, _("whiskers: the likely range%s%s"),
                 view->gpu->measured ? "" : _(" · from published figures, not measured by us"),
                 view->references ? _(" · libraries and copies: measured there") : "");
    else if (view_is_soft(view))
        snprintf(text, 300,
                 _("softgpu: the CPU's times, not a GPU's · median, whiskers: quartiles"));
    else
        snprintf(text, 300, _("%s · cold L2 · median, whiskers: quartiles"), name ? name : "GPU");
}

/* Returns a row's bar with its modelled time. */
static wb_chart_row modelled_bar(const compare_view *view, const view_size *size,
                                 const view_row *row) {
    const view_model *m = &row->model;
    bool waiting = !m->known && !m->why && row->status == VIEW_PENDING && !view->ended;
    wb_chart_row bar = {.name = row->label,
                        .group = size->text,
                        .reference = row->reference,
                        .yours = row->yours,
                        .value = m->rate,
                        .pending = waiting,
                        .note = m->known || waiting ? NULL
                                : m->why            ? m->why
                                                    : _("no time")};
    if (m->known && !m->reference) {
        bar.low = m->rate * m->seconds / m->high;
        bar.high = m->low > 0 ? m->rate * m->seconds / m->low : m->rate;
    } else if (m->known && !m->exact) {
        bar.note = _("between measured sizes");
    }
    return bar;
}

/* Returns a row's bar with its time by the host's clock. */
static wb_chart_row timed_bar(const compare_view *view, const view_size *size,
                              const view_row *row) {
    double work = row->rate * row->summary.median;
    wb_chart_row bar = {.name = row->label,
                        .group = size->text,
                        .reference = row->reference,
                        .yours = row->yours,
                        .value = row->rate,
                        .pending = row->n_times == 0};
    if (row->n_times > 1 && row->summary.q1 > 0) {
        bar.low = work / row->summary.q3;
        bar.high = work / row->summary.q1;
    }
    if (view->ended && !isnan(row->speedup.value) &&
        wb_stats_verdict(row->speedup, NOISE_FLOOR) == WB_TOO_CLOSE)
        bar.note = "too close to tell";
    return bar;
}

static double counter(const view_row *row, const char *name) {
    return wb_field_number(row->counters, name);
}

static double traffic_of(const view_row *row) {
    double sectors = counter(row, "global_load_sectors") + counter(row, "global_store_sectors") +
                     counter(row, "global_atomic_sectors");
    return row->bytes > 0 ? 32 * sectors / row->bytes : 0;
}

/* Returns false if the row has no place in the chart. */
static bool take_bar(const compare_view *view, const view_size *size, const view_row *row,
                     view_what what, wb_chart_row *bar) {
    *bar = (wb_chart_row){.name = row->label, .group = size->text, .yours = row->yours};
    if (what == VIEW_TRAFFIC) {
        bar->value = traffic_of(row);
        return row->status == VIEW_TIMED && bar->value > 0;
    }
    if (row->status == VIEW_WRONG)
        bar->note = _("wrong result: not timed");
    else if (row->status == VIEW_UNAVAILABLE || row->status == VIEW_REFUSED)
        bar->note = row->text;
    else
        *bar = view->gpu ? modelled_bar(view, size, row) : timed_bar(view, size, row);
    return row->status != VIEW_CHECKED;
}

bool view_chart(const compare_view *view, view_what what, char subtitle[300], wb_chart *chart) {
    size_t n = 0, at = 0;
    bool flops = false;
    VIEW_EACH_SIZE(view, size) {
        n += size->n_rows;
        flops |= size->flops;
    }
    wb_chart_row *rows = calloc(n + 1, sizeof *rows);
    VIEW_EACH(view, size, row) {
        at += rows && take_bar(view, size, row, what, &rows[at]);
    }
    if (!rows || (at == 0 && (n > 0 || what == VIEW_TRAFFIC))) {
        free(rows);
        return false;
    }
    if (what == VIEW_TRAFFIC) {
        *chart = (wb_chart){
            .title = _("Memory traffic, counted exactly"),
            .subtitle = _("sectors of 32 bytes that the warps asked of global memory, as on a GPU"),
            .quantity = _("bytes moved for each byte needed"),
            .unit = "×",
            .lower_is_better = true,
            .rows = rows,
            .n_rows = at};
        return true;
    }
    put_subtitle(view, subtitle);
    double limit = view->gpu ? view->gpu->dram_bytes_per_s
                             : wb_field_number(view->device, "memory_bytes_per_s");
    *chart = (wb_chart){.title = view->title ? view->title : _("comparison"),
                        .subtitle = subtitle,
                        .quantity = flops ? _("arithmetic") : _("throughput"),
                        .unit = view->n_sizes ? view_unit(view, &view->sizes[0]) : "",
                        .limit = flops ? 0 : limit * 1e-9,
                        .limit_name = _("memory's limit"),
                        .rows = rows,
                        .n_rows = at};
    return true;
}

/* ---- counters ----------------------------------------------------------------------------- */

/* Writes "32 / 1": `part` over `whole`, times `scale`, of loads / stores; "–" for none. */
static void put_ratios(const view_row *row, const char *what, const char *part, const char *whole,
                       double scale, int digits, char text[64]) {
    static const char *const kinds[] = {"load", "store"};
    char ratios[2][24];
    for (int i = 0; i < 2; i++) {
        char parts[64], wholes[64];
        snprintf(parts, sizeof parts, "%s_%s_%s", what, kinds[i], part);
        snprintf(wholes, sizeof wholes, "%s_%s_%s", what, kinds[i], whole);
        double n = counter(row, wholes);
        if (n > 0)
            snprintf(ratios[i], sizeof ratios[i], "%.*g", digits, scale * counter(row, parts) / n);
        else
            snprintf(ratios[i], sizeof ratios[i], "–");
    }
    snprintf(text, 64, "%s / %s", ratios[0], ratios[1]);
}

/* Returns bytes wanted over bytes moved, in sectors of 32 bytes, from counters if any, else from
 * theory; 0: unknown. */
static double coalescing_of(const view_row *row) {
    double sectors = counter(row, "global_load_sectors") + counter(row, "global_store_sectors");
    double bytes = counter(row, "global_load_used") + counter(row, "global_store_used");
    return sectors > 0 ? bytes / (32 * sectors) : row->efficiency;
}

/* ---- the table ---------------------------------------------------------------------------- */

typedef struct columns {
    bool counters, coalescing, reference;
    bool modelled; /* the times are modelled, and the CPU's come last */
} columns;

static columns columns_of(const compare_view *view) {
    columns c = {.modelled = view->gpu != NULL};
    VIEW_EACH(view, size, row) {
        c.counters |= row->counters != NULL;
        c.coalescing |= coalescing_of(row) > 0 && !size->flops;
        const wb_interval *speed = c.modelled ? &row->model.speedup : &row->speedup;
        c.reference |= !isnan(speed->value) && view_has_time(row);
    }
    return c;
}

/* Writes "42.6 – 44.3 µs". A common unit appears once. */
static const char *range_of(double low, double high, char *text, size_t size) {
    char a[40], b[40];
    wb_stats_seconds(low, a, sizeof a);
    wb_stats_seconds(high, b, sizeof b);
    char *unit = strchr(a, ' '), *other = strchr(b, ' ');
    if (unit && other && strcmp(unit, other) == 0)
        *unit = 0;
    snprintf(text, size, "%s – %s", a, b);
    return text;
}

static void fill_speed(wb_table *table, const view_row *row, wb_interval speed) {
    if (row->reference)
        wb_table_cell(table, "1");
    else if (isnan(speed.value))
        wb_table_cell(table, " ");
    else if (speed.high > speed.low)
        wb_table_cell(table, "%.3g× (%.3g – %.3g)", speed.value, speed.low, speed.high);
    else
        wb_table_cell(table, "%.3g×", speed.value);
}

static void fill_modelled(wb_table *table, const view_row *row, const columns *c) {
    const view_model *m = &row->model;
    char text[100];
    wb_table_cell(table, "%s",
                  m->known ? wb_stats_seconds(m->seconds, text, sizeof text) : _("no time"));
    if (!m->known)
        wb_table_cell(table, " ");
    else if (m->reference)
        wb_table_cell(table, m->exact ? _("measured") : _("near %s"), m->near ? m->near : "");
    else
        wb_table_cell(table, "%s", range_of(m->low, m->high, text, sizeof text));
    wb_table_cell(table, "%s", m->known ? wb_stats_number(m->rate, text, sizeof text) : " ");
    if (c->reference)
        fill_speed(table, row, m->speedup);
    wb_table_cell(table, "%s", m->bound ? wb_tr(m->bound) : " ");
}

static void fill_times(wb_table *table, const view_row *row, const columns *c) {
    char median[40], quartiles[100], rate[40];
    wb_table_cell(table, "%s%s", wb_stats_seconds(row->summary.median, median, sizeof median),
                  row->host_clock ? "*" : "");
    wb_table_cell(table, "%s",
                  range_of(row->summary.q1, row->summary.q3, quartiles, sizeof quartiles));
    wb_table_cell(table, "%zu", row->n_times);
    wb_table_cell(table, "%s", wb_stats_number(row->rate, rate, sizeof rate));
    if (!c->reference)
        return;
    fill_speed(table, row, row->speedup);
    if (row->reference || isnan(row->speedup.value))
        wb_table_cell(table, "%s", row->reference ? _("reference") : " ");
    else
        wb_table_cell(table, "%s",
                      wb_tr(wb_stats_verdict_text(wb_stats_verdict(row->speedup, NOISE_FLOOR))));
}

static void fill_counters(wb_table *table, const view_row *row, const columns *c) {
    char text[64];
    if (c->counters && row->counters) {
        put_ratios(row, "global", "sectors", "requests", 1, 4, text);
        wb_table_cell(table, "%s", text);
        put_ratios(row, "shared", "wavefronts", "requests", 1, 4, text);
        wb_table_cell(table, "%s", text);
    } else if (c->counters) {
        wb_table_cell(table, " ");
        wb_table_cell(table, " ");
    }
    if (c->coalescing && row->status != VIEW_SAMPLED && row->counters) {
        put_ratios(row, "global", "bytes", "sectors", 100.0 / 32, 3, text);
        wb_table_cell(table, "%s %%", text);
    } else if (c->coalescing && row->status != VIEW_SAMPLED && row->efficiency > 0) {
        wb_table_cell(table, "%.3g %%", 100 * row->efficiency);
    } else if (c->coalescing) {
        wb_table_cell(table, " ");
    }
}

static const char *const STATUS_WORDS[] = {N_("not run"), N_("timed"),   N_("right"),   N_("WRONG"),
                                           N_("not run"), N_("refused"), N_("modelled")};

static void fill_row(wb_table *table, const view_size *size, const view_row *row, bool first,
                     const columns *c) {
    wb_table_row(table, first);
    if (row->reference)
        wb_table_mark(table);
    wb_table_texts(table, first ? size->text : "", row->label);
    if (view_has_time(row)) {
        (c->modelled ? fill_modelled : fill_times)(table, row, c);
        fill_counters(table, row, c);
        char median[40];
        if (c->modelled && row->status == VIEW_SAMPLED)
            wb_table_cell(table, _("not run"));
        else if (c->modelled)
            wb_table_cell(table, "%s",
                          wb_stats_seconds(row->summary.median, median, sizeof median));
    } else {
        wb_table_cell(table, "%s", wb_tr(STATUS_WORDS[row->status]));
    }
}

/* Makes the table after --check: findings and numbers of checks. */
static wb_table *build_check_table(const compare_view *view) {
    wb_table *table = wb_table_new();
    wb_table_columns(table, "lllr", _("size"), _("kernel"), _("result"), _("checks"));
    VIEW_EACH(view, size, row) {
        bool first = row == size->rows;
        wb_table_row(table, first);
        wb_table_texts(table, first ? size->text : "", row->label,
                       wb_tr(STATUS_WORDS[row->status]));
        wb_table_cell(table, "%zu", row->checks);
    }
    return table;
}

static bool anything_timed(const compare_view *view) {
    VIEW_EACH(view, size, row) {
        if (view_has_time(row))
            return true;
    }
    return false;
}

static void add_time_columns(wb_table *table, const compare_view *view, const columns *c) {
    wb_table_columns(table, "rr",
                     c->modelled          ? _("time")
                     : view_is_soft(view) ? _("median (CPU)")
                                          : _("median"),
                     c->modelled ? _("likely") : _("quartiles"));
    if (!c->modelled)
        wb_table_column(table, _("runs"), true);
    wb_table_column(table, view->n_sizes ? view_unit(view, &view->sizes[0]) : "", true);
    if (c->reference)
        wb_table_column(table, c->modelled ? _("speed") : _("speed (95 %)"), true);
    if (c->modelled)
        wb_table_column(table, _("bound by"), false);
    else if (c->reference)
        wb_table_column(table, _("verdict"), false);
}

static wb_table *build_table(const compare_view *view) {
    if (!anything_timed(view))
        return build_check_table(view);
    wb_table *table = wb_table_new();
    columns c = columns_of(view);
    wb_table_columns(table, "ll", _("size"), _("kernel"));
    add_time_columns(table, view, &c);
    if (c.counters) {
        wb_table_columns(table, "rr", _("sectors/req."), _("wavefronts/req."));
    }
    if (c.coalescing)
        wb_table_column(table, c.counters ? _("used") : _("used (theory)"), true);
    if (c.modelled)
        wb_table_column(table, _("CPU's time"), true);
    VIEW_EACH(view, size, row) {
        fill_row(table, size, row, row == size->rows, &c);
    }
    return table;
}

static void put_sampled_note(const compare_view *view, wb_buf *out) {
    WB_SCOPED_BUF wb_buf sizes = {0};
    VIEW_EACH(view, size, row) {
        if (row->status == VIEW_SAMPLED) {
            wb_buf_printf(&sizes, "%s%s", sizes.len ? ", " : "", size->text);
            break;
        }
    }
    if (sizes.len)
        wb_buf_printf(out,
                      _("At %s only as many blocks ran as a GPU's modelled time needs. So there is "
                        "no CPU time, nothing is counted, and no result was checked. Add a small "
                        "size to check results, or --rounds to run all blocks.\n"),
                      sizes.data);
}

/* Appends whose times they are, and why some are missing. */
static void put_modelled_notes(const compare_view *view, wb_buf *out) {
    bool measured = false;
    VIEW_EACH(view, size, row) {
        measured |= row->model.known && row->model.reference;
        if (row->model.why && view_has_time(row))
            wb_buf_printf(out, _("No time for %s at %s: %s.\n"), row->label, size->text,
                          row->model.why);
    }
    wb_buf_printf(out,
                  _("Times are those of the launches, as modelled for an %s%s, with empty caches; "
                    "likely: the range of nine in ten. "),
                  view->gpu->title,
                  view->gpu->measured ? "" : _(" (from published figures, not measured by us)"));
    if (measured)
        wb_buf_printf(
            out,
            _("Times of libraries and copies were measured on an %s; near a size, they are "
              "interpolated. "),
            view->gpu->title);
    wb_buf_printf(out, _("CPU's time: softgpu's own, which says nothing of a GPU.%s\n"),
                  columns_of(view).counters ? _(" The counts are exact.") : "");
    put_sampled_note(view, out);
}

/* Appends what the figures mean, and the errors as sentences. */
static void put_notes(const compare_view *view, wb_buf *out) {
    columns c = columns_of(view);
    bool host_clock = false;
    VIEW_EACH(view, size, row) {
        host_clock |= row->host_clock && row->status == VIEW_TIMED && !view_is_soft(view);
        bool bad = row->status == VIEW_WRONG || row->status == VIEW_UNAVAILABLE ||
                   row->status == VIEW_REFUSED;
        if (bad && row->text && *row->text)
            wb_buf_printf(out, _("%s at %s: %s\n"), row->label, size->text, row->text);
    }
    VIEW_EACH_SIZE(view, size) {
        if (size->idle)
            wb_buf_printf(out, _("At %s there is nothing to do: checked, not timed.\n"),
                          size->text);
    }
    bool timed = anything_timed(view);
    if (timed && c.modelled)
        put_modelled_notes(view, out);
    else if (timed && view_is_soft(view))
        wb_buf_puts(out, _("Times are the CPU's (softgpu), not a GPU's; the counts are exact.\n"));
    if (timed && c.reference && !c.modelled)
        wb_buf_puts(out, _("Speed: the speed-up over the reference, with its 95 % confidence "
                           "interval.\n"));
    if (timed && c.counters)
        wb_buf_puts(out, _("Per request: loads / stores of one warp. A sector is 32 bytes of "
                           "global memory, a wavefront one pass over shared memory.\n"));
    if (timed && c.coalescing)
        wb_buf_printf(out, _("Used, or coalescing efficiency: bytes wanted over bytes moved%s.\n"),
                      c.counters ? _(", loads / stores") : _(", loads and stores together"));
    if (host_clock)
        wb_buf_puts(out, _("* waits for the device itself, so the host's clock.\n"));
    if (timed && view->lacks)
        wb_buf_printf(out, "%c%s.\n", toupper((unsigned char)view->lacks[0]), view->lacks + 1);
    if (view->error)
        wb_buf_printf(out, "%s\n", view->error);
}

char *view_table_text(const compare_view *view) {
    wb_table *table = build_table(view);
    char *text = wb_table_text(table);
    wb_buf out = {0};
    wb_buf_puts(&out, text ? text : "");
    put_notes(view, &out);
    free(text);
    wb_table_free(table);
    return wb_buf_steal(&out);
}

char *view_table_html(const compare_view *view) {
    wb_table *table = build_table(view);
    WB_SCOPED char *html = wb_table_html(table);
    wb_buf out = {0}, notes = {0};
    wb_buf_puts(&out, html ? html : "");
    put_notes(view, &notes);
    wb_buf_markupf(&out, "<p style=\"font-size:smaller;white-space:pre-line\">%s</p>", notes.data);
    wb_buf_free(&notes);
    wb_table_free(table);
    return wb_buf_steal(&out);
}

/* ---- the document ------------------------------------------------------------------------- */

static json_t *real_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* Returns the time, rate and speed-up of a row, or NULL if it has none. */
static json_t *document_time(const compare_view *view, const view_size *size, const view_row *row) {
    const wb_summary *s = &row->summary;
    const wb_interval *speed = &row->speedup;
    if (row->status != VIEW_TIMED)
        return NULL;
    json_t *speedup =
        isnan(speed->value)
            ? NULL
            : json_pack("{s:o, s:o, s:o, s:s}", "value", real_or_null(speed->value), "low",
                        real_or_null(speed->low), "high", real_or_null(speed->high), "verdict",
                        wb_stats_verdict_text(wb_stats_verdict(*speed, NOISE_FLOOR)));
    return json_pack("{s:{s:i, s:f, s:f, s:f, s:f, s:s}, s:f, s:s, s:o*}", "time", "runs",
                     (int)s->n, "median", s->median, "q1", s->q1, "q3", s->q3, "min", s->min,
                     "clock", row->host_clock ? "host" : "device", "rate", row->rate, "unit",
                     view_unit(view, size), "speedup", speedup);
}

static json_t *document_row(const compare_view *view, const view_size *size, const view_row *row) {
    static const char *const words[] = {"pending",     "timed",   "right",  "wrong",
                                        "unavailable", "refused", "sampled"};
    bool labelled = row->label && row->name && strcmp(row->label, row->name) != 0;
    json_t *object =
        json_pack("{s:s, s:s, s:b, s:s, s:s, s:s*, s:I}", "name", row->name ? row->name : "",
                  "title", row->title ? row->title : "", "reference", row->reference, "status",
                  words[row->status], "text", row->text ? row->text : "", "label",
                  labelled ? row->label : NULL, "checks", (json_int_t)row->checks);
    json_object_update_new(object, document_time(view, size, row));
    double coalescing = coalescing_of(row);
    json_t *more =
        json_pack("{s:o*, s:o*, s:o*, s:O*}", "model",
                  view->gpu && view_has_time(row) ? modelled_json(view, size, row) : NULL, "error",
                  row->error > 0 ? json_real(row->error) : NULL, "coalescing",
                  coalescing > 0 ? json_real(coalescing) : NULL, "counters", row->counters);
    json_object_update_new(object, more);
    return object;
}

json_t *view_document(const compare_view *view) {
    json_t *sizes = json_array();
    json_t *device = view->device ? json_deep_copy(view->device) : json_object();
    json_object_del(device, "event");
    if (view->sm_hz > 0)
        json_object_set_new(device, "sm_hz", json_real(view->sm_hz));
    VIEW_EACH_SIZE(view, size) {
        json_t *rows = json_array();
        VIEW_EACH_ROW(size, row) {
            json_array_append_new(rows, document_row(view, size, row));
        }
        json_array_append_new(sizes, json_pack("{s:s, s:I, s:I, s:I, s:o}", "size",
                                               size->text ? size->text : "", "m",
                                               (json_int_t)size->m, "n", (json_int_t)size->n, "k",
                                               (json_int_t)size->k, "kernels", rows));
    }
    return json_pack("{s:o, s:s, s:s, s:o, s:s?}", "device", device, "times_of",
                     view_is_soft(view) ? "CPU" : "GPU", "type", view->type ? view->type : "float",
                     "sizes", sizes, "error", view->error);
}
