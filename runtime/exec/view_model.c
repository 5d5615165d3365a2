/* view_model.c: modelled times of launches, as text. */

#include "runtime/exec/view_count.h"
#include "runtime/measure/stats.h"
#include "runtime/json/fields.h"

static void put_row(wb_table *table, const view_count *c, bool sized) {
    const json_t *limits = json_object_get(c->model, "limits"), *value;
    const char *bound = wb_field_text(c->model, "bound"), *next = "", *key;
    double most = wb_field_number(limits, bound), second = 0;
    char time[32], low[32], high[32];
    json_object_foreach((json_t *)limits, key, value) {
        if (strcmp(key, bound) != 0 && json_number_value(value) > second) {
            second = json_number_value(value);
            next = key;
        }
    }
    wb_table_row(table, false);
    if (sized)
        wb_table_cell(table, "%.0f", wb_field_number(c->first, "size"));
    wb_table_cell(table, "%s", c->kernel);
    wb_table_cell(table, "%lld", (long long)c->launches);
    wb_table_cell(table, "%s", wb_stats_seconds(c->most, time, sizeof time));
    wb_table_cell(table, "%s - %s",
                  wb_stats_seconds(wb_field_number(c->model, "low"), low, sizeof low),
                  wb_stats_seconds(wb_field_number(c->model, "high"), high, sizeof high));
    wb_table_cell(table, "%s", wb_tr(bound));
    wb_table_cell(table, most > 0 && second > 0 ? "%s, %.0f %%" : "-", wb_tr(next),
                  100 * second / most);
    wb_table_cell(table, "%.0f", wb_field_number(c->model, "resident"));
    wb_table_cell(table, "%.0f%s", wb_field_number(c->model, "registers"),
                  strcmp(wb_field_text(c->model, "registers_by"), "ptxas") == 0 ? "" : " ?");
}

/* sized: the name of the sizes, or "". */
static wb_table *table_of(const view_count *all, size_t n, const char *sized) {
    wb_table *table = wb_table_new();
    if (*sized)
        wb_table_column(table, sized, true);
    wb_table_columns(table, "lrrrllrr", _("kernel"), _("launches"), _("time"), _("likely"),
                     _("bound by"), _("next"), _("blocks a SM"), _("registers"));
    for (size_t k = 0; k < n; k++)
        if (all[k].model)
            put_row(table, &all[k], *sized);
    return table;
}

bool wb_view_sampled(const json_t *report) {
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        if (json_object_get(json_object_get(launch, "model"), "ran"))
            return true;
    }
    return false;
}

/* Says that the program's output is wrong if only some blocks ran. */
static void say_what_ran(const view_count *all, size_t n, bool kept_back, wb_buf *out) {
    for (size_t k = 0; k < n; k++) {
        const json_t *model = all[k].model ? all[k].model : all[k].untimed;
        double blocks = 1;
        if (!json_object_get(model, "ran"))
            continue;
        WB_JSON_EACH(one, json_object_get(all[k].first, "grid")) {
            blocks *= json_number_value(one);
        }
        char *whole = view_whole(blocks);
        wb_buf_printf(out, _("%s: %.0f of %s blocks were simulated%s: %s.\n"), all[k].kernel,
                      wb_field_number(model, "ran"), whole ? whole : "",
                      json_object_get(model, "why") ? "" : _(" and scaled up"),
                      kept_back ? _("its results are incomplete, and its output is left out")
                                : _("the results that the program printed are wrong"));
        free(whole);
        return;
    }
}

void view_model_heading(const json_t *model, wb_buf *out) {
    wb_buf_printf(
        out, _("As modelled for an %s%s, with empty caches:"), wb_field_text(model, "title"),
        wb_field_true(model, "measured") ? "" : _(" (from published figures, not measured by us)"));
}

wb_table *wb_view_model_table(const json_t *report, wb_buf *before, wb_buf *notes) {
    view_count *all;
    const json_t *timed = NULL;
    const char *sized = wb_field_text(report, "sized");
    size_t n = view_count_launches(report, true, &all);
    for (size_t k = 0; k < n && !timed; k++)
        timed = all[k].model;
    wb_table *table = timed ? table_of(all, n, sized) : NULL;
    if (timed && before)
        view_model_heading(timed, before);
    say_what_ran(all, n, wb_field_true(report, "kept_back"), notes);
    for (size_t k = 0; k < n; k++) {
        if (all[k].untimed && *sized)
            wb_buf_printf(notes, _("No time for %s at %s = %.0f: %s.\n"), all[k].kernel, sized,
                          wb_field_number(all[k].first, "size"),
                          wb_field_text(all[k].untimed, "why"));
        else if (all[k].untimed)
            wb_buf_printf(notes, _("No time for %s: %s.\n"), all[k].kernel,
                          wb_field_text(all[k].untimed, "why"));
    }
    view_count_free(all, n);
    return table;
}
