/* view_model.c: what launches would take on a GPU that is not here, in words. */
#include <stdlib.h>
#include <string.h>

#include "runtime/exec/view_launch.h"
#include "runtime/base/language.h"
#include "runtime/measure/stats.h"
#include "runtime/json/fields.h"

#define LEAST_SAID 0.05 /* of all time, by a launch of which more is said than its row */

static bool alike(const view_launch *r, const json_t *launch, const json_t *model) {
    static const char *const keys[] = {"symbol", "grid", "block", "dynamic_shared"};
    double a = wb_field_number(r->model, "seconds"), b = wb_field_number(model, "seconds");
    for (size_t i = 0; i < WB_COUNT(keys); i++)
        if (!json_equal(json_object_get(r->launch, keys[i]), json_object_get(launch, keys[i])))
            return false;
    return wb_field_number(r->launch, "size") == wb_field_number(launch, "size") &&
           a - b <= 0.01 * a && b - a <= 0.01 * a &&
           strcmp(wb_field_text(r->model, "why"), wb_field_text(model, "why")) == 0;
}

size_t view_launches(const json_t *report, view_launch *rows, json_int_t *left_out) {
    const json_t *launches = json_object_get(report, "launches"), *launch;
    size_t n = 0, index;
    json_array_foreach(launches, index, launch) {
        const json_t *model = json_object_get(launch, "model");
        size_t k = 0;
        if (!model)
            continue;
        while (k < n && !alike(&rows[k], launch, model))
            k++;
        if (k < n)
            rows[k].calls++;
        else if (n < VIEW_LAUNCHES)
            rows[n++] = (view_launch){launch, model, 1};
        else
            ++*left_out;
    }
    return n;
}

/* The kernel's name without its parameters, as the table of counts has it: "tiled<float, 32>". */
char *view_kernel(const json_t *launch) {
    const char *name = wb_field_text(launch, "kernel");
    if (strncmp(name, "void ", 5) == 0 && strchr(name, '('))
        name += 5;
    return wb_format("%.*s", (int)strcspn(name, "("), name);
}

/* The seconds of all its calls; 0: it has no time. */
static double view_seconds(const view_launch *r) {
    return (double)r->calls * wb_field_number(r->model, "seconds");
}

static int by_time(const void *a, const void *b) {
    double x = view_seconds(a), y = view_seconds(b);
    return x < y ? 1 : x > y ? -1 : 0;
}

void view_longest_first(view_launch *rows, size_t n) {
    qsort(rows, n, sizeof *rows, by_time);
}

bool view_same_kernel(const view_launch *a, const view_launch *b) {
    return strcmp(wb_field_text(a->launch, "symbol"), wb_field_text(b->launch, "symbol")) == 0;
}

bool view_repeats(const view_launch *rows, size_t k) {
    for (size_t i = 0; i < k; i++)
        if (view_same_kernel(&rows[i], &rows[k]))
            return true;
    return false;
}

static void put_row(wb_table *table, const view_launch *r, bool sized) {
    const json_t *limits = json_object_get(r->model, "limits"), *value;
    const char *bound = wb_field_text(r->model, "bound"), *next = "", *key;
    double most = wb_field_number(limits, bound), second = 0;
    char time[32], low[32], high[32], *name = view_kernel(r->launch);
    json_object_foreach((json_t *)limits, key, value) {
        if (strcmp(key, bound) != 0 && json_number_value(value) > second) {
            second = json_number_value(value);
            next = key;
        }
    }
    wb_table_row(table, false);
    if (sized)
        wb_table_cell(table, "%.0f", wb_field_number(r->launch, "size"));
    wb_table_cell(table, "%s", name ? name : "");
    wb_table_cell(table, "%lld", r->calls);
    wb_table_cell(table, "%s",
                  wb_stats_seconds(wb_field_number(r->model, "seconds"), time, sizeof time));
    wb_table_cell(table, "%s - %s",
                  wb_stats_seconds(wb_field_number(r->model, "low"), low, sizeof low),
                  wb_stats_seconds(wb_field_number(r->model, "high"), high, sizeof high));
    wb_table_cell(table, "%s", wb_tr(bound));
    wb_table_cell(table, most > 0 && second > 0 ? "%s, %.0f %%" : "-", wb_tr(next),
                  100 * second / most);
    wb_table_cell(table, "%.0f", wb_field_number(r->model, "resident"));
    wb_table_cell(table, "%.0f%s", wb_field_number(r->model, "registers"),
                  strcmp(wb_field_text(r->model, "registers_by"), "ptxas") == 0 ? "" : " ?");
    free(name);
}

/* sized: what had the sizes that the code ran with, or "". */
static wb_table *table_of(const view_launch *rows, size_t n, const char *sized) {
    static const struct {
        const char *title;
        bool right;
    } columns[] = {{WB_N("kernel"), false},     {WB_N("launches"), true},  {WB_N("time"), true},
                   {WB_N("likely"), true},      {WB_N("bound by"), false}, {WB_N("next"), false},
                   {WB_N("blocks a SM"), true}, {WB_N("registers"), true}};
    wb_table *table = wb_table_new();
    if (*sized)
        wb_table_column(table, sized, true);
    for (size_t k = 0; k < WB_COUNT(columns); k++)
        wb_table_column(table, columns[k].title, columns[k].right);
    for (size_t k = 0; k < n; k++)
        if (json_object_get(rows[k].model, "seconds"))
            put_row(table, &rows[k], *sized);
    return table;
}

bool wb_view_sampled(const json_t *report) {
    const json_t *launch;
    size_t i;
    json_array_foreach(json_object_get(report, "launches"), i, launch) {
        if (json_object_get(json_object_get(launch, "model"), "ran"))
            return true;
    }
    return false;
}

/* Where only some blocks ran, nobody is to believe what the program printed. */
static void say_what_ran(const view_launch *rows, size_t n, bool kept_back, wb_buf *out) {
    char all[32];
    for (size_t k = 0; k < n; k++) {
        const json_t *grid = json_object_get(rows[k].launch, "grid"), *one;
        double blocks = 1;
        size_t d;
        if (!json_object_get(rows[k].model, "ran"))
            continue;
        json_array_foreach(grid, d, one) {
            blocks *= json_number_value(one);
        }
        wb_stats_number(blocks, all, sizeof all);
        char *name = view_kernel(rows[k].launch);
        wb_buf_printf(
            out, "Of %s %.0f of %s blocks ran%s: %s.\n", name ? name : "it",
            wb_field_number(rows[k].model, "ran"), all,
            json_object_get(rows[k].model, "why") ? "" : wb_tr(", which tell of the others"),
            kept_back ? wb_tr("its results are not whole, and what was printed is left out")
                      : wb_tr("what the program printed of results is not right"));
        free(name);
        return;
    }
}

/* What holds a kernel up, of the longest launches of those that take most of the time. */
static void say_why(const view_launch *launches, size_t n, wb_buf *out) {
    view_launch rows[VIEW_LAUNCHES];
    double all = 0;
    memcpy(rows, launches, n * sizeof *rows);
    view_longest_first(rows, n);
    for (size_t k = 0; k < n; k++)
        all += view_seconds(&rows[k]);
    for (size_t k = 0; k < n; k++) {
        const char *sentence = wb_field_text(rows[k].model, "sentence");
        if (!*sentence || view_seconds(&rows[k]) < LEAST_SAID * all || view_repeats(rows, k))
            continue;
        char *name = view_kernel(rows[k].launch);
        wb_buf_printf(out, "%s: %s\n", name ? name : "", sentence);
        free(name);
    }
}

wb_table *wb_view_model_table(const json_t *report, wb_buf *before, wb_buf *out) {
    view_launch rows[VIEW_LAUNCHES];
    const view_launch *longest = NULL;
    const char *sized = wb_field_text(report, "sized");
    wb_table *table = NULL;
    json_int_t left_out = 0;
    size_t n = view_launches(report, rows, &left_out);
    for (size_t k = 0; k < n; k++)
        if (json_object_get(rows[k].model, "seconds") &&
            (!longest || wb_field_number(rows[k].model, "seconds") >
                             wb_field_number(longest->model, "seconds")))
            longest = &rows[k];
    if (longest) {
        bool measured = json_is_true(json_object_get(longest->model, "measured"));
        wb_buf_printf(before, "As modelled for an %s%s, with empty caches:",
                      wb_field_text(longest->model, "title"),
                      measured ? "" : wb_tr(" (from published figures, not measured by us)"));
        table = table_of(rows, n, sized);
        say_why(rows, n, out);
    }
    say_what_ran(rows, n, json_is_true(json_object_get(report, "kept_back")), out);
    for (size_t k = 0; k < n; k++) {
        char *name = view_kernel(rows[k].launch);
        if (json_object_get(rows[k].model, "why") && *sized)
            wb_buf_printf(out, "No time for %s at %s = %.0f: %s.\n", name ? name : "", sized,
                          wb_field_number(rows[k].launch, "size"),
                          wb_field_text(rows[k].model, "why"));
        else if (json_object_get(rows[k].model, "why"))
            wb_buf_printf(out, "No time for %s: %s.\n", name ? name : "",
                          wb_field_text(rows[k].model, "why"));
        free(name);
    }
    if (left_out > 0)
        wb_buf_printf(out, "(%lld later launches are not in the table)\n", left_out);
    return table;
}

static void put_moved(const json_t *report, wb_buf *out) {
    wb_buf after = {0};
    wb_table *table = wb_view_moved(report, &after);
    char *text = table ? wb_table_text(table) : NULL;
    if (text)
        wb_buf_printf(out, "\n%s%s", text, after.len ? after.data : "");
    free(text);
    wb_table_free(table);
    wb_buf_free(&after);
}

void wb_view_models(const json_t *report, size_t width, wb_buf *out) {
    wb_buf before = {0}, after = {0};
    wb_table *table = wb_view_model_table(report, &before, &after);
    wb_table *lines = wb_view_model_lines(report, width);
    char *text = table ? wb_table_text(table) : NULL, *shares = lines ? wb_table_text(lines) : NULL;
    if (before.len)
        wb_buf_printf(out, "\n%s\n", before.data);
    wb_buf_printf(out, "%s%s", text ? text : "", after.len ? after.data : "");
    if (shares)
        wb_buf_printf(out, "\n%s", shares);
    put_moved(report, out);
    WB_FREE(text, shares);
    wb_table_free(table);
    wb_table_free(lines);
    wb_buf_free(&before);
    wb_buf_free(&after);
}
