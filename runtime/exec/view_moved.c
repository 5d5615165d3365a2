/* view_moved.c: times of copies and fills on a GPU. */
#include "runtime/base/language.h"
#include "runtime/exec/view.h"
#include "runtime/measure/stats.h"
#include "runtime/json/fields.h"

/* softgpu's names (softgpu.h) and the reader's. Host memory may be pinned. */
static const struct {
    const char *way, *pinned, *other;
} ways[] = {
    {"to the device", N_("to the device, from pinned memory"),
     N_("to the device, from ordinary memory")},
    {"to the host", N_("to the host, into pinned memory"), N_("to the host, into ordinary memory")},
    {"on the device", NULL, N_("from device memory to device memory")},
    {"fill", NULL, N_("fills (cudaMemset)")}};

static const char *words_of(const json_t *row) {
    const char *way = wb_field_string(row, "way");
    for (size_t i = 0; way && i < WB_COUNT(ways); i++)
        if (strcmp(way, ways[i].way) == 0)
            return wb_field_true(row, "pinned") ? ways[i].pinned : ways[i].other;
    return NULL;
}

static void put_row(wb_table *table, const json_t *row, const char *words) {
    const json_t *model = json_object_get(row, "model");
    char bytes[32], time[32], low[32], high[32];
    wb_table_row(table, false);
    wb_table_cell(table, "%s", wb_tr(words));
    wb_table_cell(table, "%.0f", wb_field_number(row, "times"));
    wb_table_texts(table, wb_stats_number(wb_field_number(row, "bytes"), bytes, sizeof bytes),
                   wb_stats_seconds(wb_field_number(model, "seconds"), time, sizeof time));
    wb_table_cell(table, "%s - %s",
                  wb_stats_seconds(wb_field_number(model, "low"), low, sizeof low),
                  wb_stats_seconds(wb_field_number(model, "high"), high, sizeof high));
}

static wb_table *new_table(void) {
    wb_table *table = wb_table_new();
    wb_table_columns(table, "lrrrr", _("copies"), _("times"), _("bytes"), _("time"), _("likely"));
    return table;
}

static void say_pinned(double ordinary, double pinned, wb_buf *out) {
    char time[32], less[32];
    if (pinned > 0 && ordinary > 2 * pinned)
        wb_buf_printf(out,
                      _("Copies from and into ordinary memory take %s: with pinned memory "
                        "(cudaMallocHost) they would take %s.\n"),
                      wb_stats_seconds(ordinary, time, sizeof time),
                      wb_stats_seconds(pinned, less, sizeof less));
}

wb_table *wb_view_moved(const json_t *report, wb_buf *out) {
    wb_table *table = NULL;
    double ordinary = 0, pinned = 0;
    WB_JSON_EACH(row, json_object_get(report, "moved")) {
        const json_t *model = json_object_get(row, "model");
        const char *words = words_of(row);
        if (!model || !words)
            continue;
        if (!table)
            table = new_table();
        put_row(table, row, words);
        if (json_object_get(model, "if_pinned"))
            ordinary += wb_field_number(model, "seconds");
        pinned += wb_field_number(model, "if_pinned");
    }
    say_pinned(ordinary, pinned, out);
    return table;
}
