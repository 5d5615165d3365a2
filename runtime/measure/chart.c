/* chart.c: what all three drawings share, the text drawing, and the Vega-Lite specification. */
#include "runtime/measure/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

static bool same_group(const wb_chart_row *a, const wb_chart_row *b) {
    return (!a->group && !b->group) || (a->group && b->group && strcmp(a->group, b->group) == 0);
}

const wb_chart_row *wb_chart_reference(const wb_chart *chart, size_t i) {
    for (size_t r = 0; r < chart->n_rows; r++)
        if (chart->rows[r].reference && same_group(&chart->rows[r], &chart->rows[i]))
            return &chart->rows[r];
    return NULL;
}

double wb_chart_ratio(const wb_chart *chart, size_t i) {
    const wb_chart_row *row = &chart->rows[i], *reference = wb_chart_reference(chart, i);
    if (!reference || row->pending || reference->pending || !(row->value > 0) ||
        !(reference->value > 0))
        return 0;
    return chart->lower_is_better ? reference->value / row->value : row->value / reference->value;
}

const char *wb_chart_label(const wb_chart *chart, size_t i, char *text, size_t size) {
    const wb_chart_row *row = &chart->rows[i];
    if (row->pending) {
        snprintf(text, size, "measuring …");
        return text;
    }
    if (!(row->value > 0) && row->note) { /* nothing was measured, and the note says why */
        snprintf(text, size, "%s", row->note);
        return text;
    }
    char number[40], ratio[40] = "";
    double times = wb_chart_ratio(chart, i);
    if (row->reference)
        snprintf(ratio, sizeof ratio, " · reference");
    else if (times > 0)
        snprintf(ratio, sizeof ratio, times < 0.095 ? " · %.3f×" : " · %.2f×", times);
    snprintf(text, size, "%s %s%s%s%s", wb_stats_number(row->value, number, sizeof number),
             chart->unit, ratio, row->note ? " · " : "", row->note ? row->note : "");
    return text;
}

/* ---- text --------------------------------------------------------------------------------- */

/* A bar of `eighths` eighths of a column, in block characters. */
static void put_bar(wb_buf *out, int eighths) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (int i = 0; i < eighths / 8; i++)
        wb_buf_puts(out, "█");
    wb_buf_puts(out, parts[eighths % 8]);
}

static double largest_value(const wb_chart *chart) {
    double largest = chart->limit;
    for (size_t i = 0; i < chart->n_rows; i++)
        if (!chart->rows[i].pending)
            largest = fmax(largest, chart->rows[i].value);
    return largest;
}

char *wb_chart_text(const wb_chart *chart, int width) {
    size_t name_width = 0, label_width = 0;
    char label[200];
    for (size_t i = 0; i < chart->n_rows; i++) {
        size_t name = wb_table_width(chart->rows[i].name);
        size_t text = wb_table_width(wb_chart_label(chart, i, label, sizeof label));
        name_width = name > name_width ? name : name_width;
        label_width = text > label_width ? text : label_width;
    }
    int room = (width > 0 ? width : 78) - (int)name_width - (int)label_width - 4;
    if (room < 8)
        room = 8;
    double largest = largest_value(chart);
    wb_buf out = {0};
    wb_buf_printf(&out, "%s\n", chart->title);
    if (chart->subtitle)
        wb_buf_printf(&out, "%s\n", chart->subtitle);
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i];
        if (row->group && (i == 0 || !same_group(row, row - 1)))
            wb_buf_printf(&out, "%s\n", row->group);
        wb_buf_printf(&out, "  %s%*s ", row->name, (int)(name_width - wb_table_width(row->name)),
                      "");
        bool drawn = !row->pending && row->value > 0 && largest > 0;
        int eighths = drawn ? (int)lround(row->value / largest * room * 8) : 0;
        put_bar(&out, drawn && eighths < 1 ? 1 : eighths);
        wb_buf_printf(&out, " %s\n", wb_chart_label(chart, i, label, sizeof label));
    }
    if (chart->limit > 0) {
        char number[40];
        wb_buf_printf(&out, "  %s: %s %s\n", chart->limit_name ? chart->limit_name : "limit",
                      wb_stats_number(chart->limit, number, sizeof number), chart->unit);
    }
    return wb_buf_steal(&out);
}

/* ---- Vega-Lite ---------------------------------------------------------------------------- */

static json_t *vega_values(const wb_chart *chart) {
    json_t *values = json_array();
    char label[200];
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i], *reference = wb_chart_reference(chart, i);
        bool drawn = !row->pending && isfinite(row->value);
        json_t *value = json_pack("{s:s, s:s, s:f, s:s, s:s, s:i}", "name", row->name, "group",
                                  row->group ? row->group : "", "value", drawn ? row->value : 0.0,
                                  "label", wb_chart_label(chart, i, label, sizeof label), "kind",
                                  row->reference ? "reference" : "kernel", "order", (int)i);
        if (drawn && row->high > 0 && isfinite(row->low) && isfinite(row->high)) {
            json_object_set_new(value, "low", json_real(row->low));
            json_object_set_new(value, "high", json_real(row->high));
        }
        if (reference && !reference->pending && reference->value > 0)
            json_object_set_new(value, "reference", json_real(reference->value));
        json_array_append_new(values, value);
    }
    return values;
}

/* The layers of one group: bars, whiskers, the words behind the bars, the reference's line. */
static json_t *vega_layers(const wb_chart *chart) {
    char axis[300];
    snprintf(axis, sizeof axis, "%s (%s)%s%s%s", chart->quantity, chart->unit,
             chart->lower_is_better ? ", shorter is better" : "",
             chart->limit > 0 ? "; dotted: " : "",
             chart->limit > 0 && chart->limit_name ? chart->limit_name : "");
    json_t *y = json_pack("{s:s, s:s, s:n, s:n, s:{s:b, s:b, s:i, s:i, s:i}}", "field", "name",
                          "type", "nominal", "sort", "title", "axis", "domain", 0, "ticks", 0,
                          "labelLimit", 320, "labelFontSize", 12, "labelPadding", 8);
    json_t *bars = json_pack(
        "{s:{s:s, s:i, s:i}, s:{s:{s:s, s:s, s:s, s:{s:f}}, s:{s:s, s:s, s:n, s:{s:[ss], s:[ss]}}, "
        "s:[{s:s, s:s}, {s:s, s:s}]}}",
        "mark", "type", "bar", "height", 16, "cornerRadiusEnd", 3, "encoding", "x", "field",
        "value", "type", "quantitative", "title", axis, "scale", "domainMin", 0.0, "color", "field",
        "kind", "type", "nominal", "legend", "scale", "domain", "kernel", "reference", "range",
        "#2E86C8", "#D55E00", "tooltip", "field", "name", "title", "kernel", "field", "label",
        "title", "result");
    json_t *whiskers = json_pack(
        "{s:[{s:s}], s:{s:s, s:s, s:f}, s:{s:{s:s, s:s}, s:{s:s}}}", "transform", "filter",
        "isValid(datum.high)", "mark", "type", "rule", "color", "currentColor", "strokeWidth", 1.5,
        "encoding", "x", "field", "low", "type", "quantitative", "x2", "field", "high");
    json_t *words =
        json_pack("{s:[{s:s, s:s}], s:{s:s, s:s, s:i, s:i, s:s}, s:{s:{s:s, s:s}, s:{s:s, s:s}}}",
                  "transform", "calculate", "isValid(datum.high) ? datum.high : datum.value", "as",
                  "end", "mark", "type", "text", "align", "left", "dx", 6, "fontSize", 12, "color",
                  "currentColor", "encoding", "x", "field", "end", "type", "quantitative", "text",
                  "field", "label", "type", "nominal");
    json_t *line =
        json_pack("{s:{s:s, s:s, s:[ii], s:f}, s:{s:{s:s, s:s, s:s}, s:n}}", "mark", "type", "rule",
                  "color", "#D55E00", "strokeDash", 5, 4, "strokeWidth", 1.2, "encoding", "x",
                  "aggregate", "max", "field", "reference", "type", "quantitative", "y");
    json_t *layers = json_pack("[o, o, o, o]", bars, whiskers, words, line);
    if (chart->limit > 0)
        json_array_append_new(layers,
                              json_pack("{s:{s:s, s:s, s:[ii]}, s:{s:{s:f}, s:n, s:{s:s}}}", "mark",
                                        "type", "rule", "color", "currentColor", "strokeDash", 2, 3,
                                        "encoding", "x", "datum", chart->limit, "y", "tooltip",
                                        "value", chart->limit_name ? chart->limit_name : "limit"));
    return json_pack("{s:{s:o}, s:o}", "encoding", "y", y, "layer", layers);
}

json_t *wb_chart_vega(const wb_chart *chart) {
    bool groups = false;
    for (size_t i = 0; i < chart->n_rows; i++)
        groups |= chart->rows[i].group != NULL;
    json_t *spec =
        json_pack("{s:s, s:n, s:{s:{s:s}}, s:{s:s, s:s, s:s, s:i, s:i}, s:{s:o}}", "$schema",
                  "https://vega.github.io/schema/vega-lite/v5.json", "background", "usermeta",
                  "embedOptions", "renderer", "svg", "title", "text", chart->title, "subtitle",
                  chart->subtitle ? chart->subtitle : "", "anchor", "start", "fontSize", 15,
                  "offset", 12, "data", "values", vega_values(chart));
    json_t *unit = vega_layers(chart);
    json_object_set_new(unit, "width", json_integer(440));
    json_object_set_new(unit, "height", json_pack("{s:i}", "step", 26));
    if (groups) {
        json_object_set_new(spec, "facet",
                            json_pack("{s:{s:s, s:s, s:n, s:{s:s, s:s}, s:{s:s, s:s, s:s, s:i}}}",
                                      "row", "field", "group", "type", "nominal", "title", "sort",
                                      "field", "order", "op", "min", "header", "labelOrient", "top",
                                      "labelAnchor", "start", "labelFontWeight", "bold",
                                      "labelFontSize", 12));
        json_object_set_new(spec, "resolve", json_pack("{s:{s:s}}", "scale", "y", "independent"));
        json_object_set_new(spec, "spec", unit);
    } else {
        json_object_update(spec, unit);
        json_decref(unit);
    }
    /* Vega draws in its own black unless told to take the page's colour, which a dark theme sets.
     */
    json_object_set_new(
        spec, "config",
        json_pack("{s:{s:n}, s:{s:s, s:s}, s:{s:s}, s:{s:s, s:s, s:s, s:f, s:s, s:s}}", "view",
                  "stroke", "title", "color", "currentColor", "subtitleColor", "currentColor",
                  "header", "labelColor", "currentColor", "axis", "labelColor", "currentColor",
                  "titleColor", "currentColor", "gridColor", "currentColor", "gridOpacity", 0.15,
                  "tickColor", "currentColor", "domainColor", "currentColor"));
    return spec;
}
