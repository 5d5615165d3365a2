/* vega.c: the chart as a Vega-Lite specification, for JupyterLab.
 *
 * Words stand above the marks and not beside them, so that a chart can be as narrow as a notebook
 * at 200 % zoom in a small window. Its width follows the window's: Vega-Lite's own "container"
 * can't be used, JupyterLab's boxes being as wide as what they hold. Vega-Lite knows no width that
 * is an expression, so vega-embed is told to put one into the compiled chart; a front end that does
 * not do so draws it 440 pixels wide. Ink is the page's (currentColor), the background nobody's. */
#include "runtime/measure/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPTION_COLUMNS = 38 }; /* what fits into the narrowest chart */

/* The window less JupyterLab's sidebars, margins and the chart's own menu, all open. */
#define WIDTH "clamp(windowSize()[0] - 480, 220, 560)"

static const char FRAME[] =
    "{'$schema': 'https://vega.github.io/schema/vega-lite/v5.json', 'background': null,"
    " 'usermeta': {'embedOptions': {'renderer': 'svg', 'patch': ["
    "   {'op': 'remove', 'path': '/width'},"
    "   {'op': 'add', 'path': '/signals/0', 'value': {'name': 'width', 'init': '" WIDTH "',"
    "    'on': [{'events': {'source': 'window', 'type': 'resize'}, 'update': '" WIDTH "'}]}}]}},"
    " 'title': {'anchor': 'start', 'frame': 'group', 'fontSize': 15, 'offset': 10},"
    " 'width': 440, 'height': {'step': 46},"
    " 'encoding': {'y': {'field': 'order', 'type': 'ordinal', 'axis': null}},"
    " 'config': {'view': {'stroke': null},"
    "  'title': {'color': 'currentColor', 'subtitleColor': 'currentColor'},"
    "  'axis': {'labelColor': 'currentColor', 'titleColor': 'currentColor',"
    "   'gridColor': 'currentColor', 'gridOpacity': 0.15, 'tickColor': 'currentColor',"
    "   'domainColor': 'currentColor'}}}";

#define KINDS "'domain': ['kernel', 'reference', 'yours']"
#define COLOUR                                                                                     \
    "'color': {'field': 'kind', 'type': 'nominal', 'legend': null,"                                \
    " 'scale': {" KINDS ", 'range': ['#2E86C8', '#D55E00', '#009E73']}},"                          \
    " 'tooltip': [{'field': 'name', 'title': 'kernel'}, {'field': 'label', 'title': 'result'}]"

static const char BAR[] =
    "{'transform': [{'filter': 'isValid(datum.value)'}],"
    " 'mark': {'type': 'bar', 'height': 10, 'yOffset': 14, 'cornerRadiusEnd': 2},"
    " 'encoding': {" COLOUR "}}";
static const char POINT[] =
    "{'transform': [{'filter': 'isValid(datum.value)'}],"
    " 'mark': {'type': 'point', 'filled': true, 'size': 110, 'opacity': 1, 'yOffset': 14},"
    " 'encoding': {" COLOUR ", 'shape': {'field': 'kind', 'type': 'nominal', 'legend': null,"
    "  'scale': {" KINDS ", 'range': ['circle', 'square', 'diamond']}}}}";
/* Along a logarithmic axis the eye is led through the point, from edge to edge: no length. */
static const char GUIDE[] =
    "{'transform': [{'filter': 'isValid(datum.value)'}],"
    " 'mark': {'type': 'rule', 'yOffset': 14, 'color': 'currentColor', 'opacity': 0.3,"
    "  'strokeDash': [1, 3]}, 'encoding': {'x': {'value': 0}, 'x2': {'value': 'width'}}}";
static const char WHISKER[] =
    "{'transform': [{'filter': 'isValid(datum.high)'}],"
    " 'mark': {'type': 'rule', 'yOffset': 14, 'color': 'currentColor', 'strokeWidth': 1.5},"
    " 'encoding': {'x': {'field': 'low', 'type': 'quantitative'}, 'x2': {'field': 'high'}}}";
static const char REFERENCE[] =
    "{'transform': [{'filter': 'isValid(datum.reference)'}],"
    " 'mark': {'type': 'tick', 'thickness': 1.5, 'size': 18, 'yOffset': 14, 'color': '#D55E00'},"
    " 'encoding': {'x': {'field': 'reference', 'type': 'quantitative'}}}";
static const char LIMIT[] = "{'mark': {'type': 'rule', 'color': 'currentColor', 'strokeDash': [2, "
                            "3]}, 'encoding': {'y': null}}";
/* Name and result in one line, or in two where there is no room for one. */
static const char UPPER[] =
    "{'transform': [{'calculate': \"datum.heading ? '' : width < 440 ? datum.name : ''\","
    "                'as': 'words'}],"
    " 'mark': {'type': 'text', 'align': 'left', 'baseline': 'bottom', 'fontSize': 12,"
    "  'fontWeight': 600, 'yOffset': -7, 'color': 'currentColor'},"
    " 'encoding': {'x': {'value': 1}, 'text': {'field': 'words'}}}";
static const char LOWER[] =
    "{'transform': [{'calculate': \"datum.heading ? datum.heading : width < 440 ? datum.label :"
    " datum.name + '  ' + datum.label\", 'as': 'words'}],"
    " 'mark': {'type': 'text', 'align': 'left', 'baseline': 'bottom', 'fontSize': 12,"
    "  'yOffset': 8, 'color': 'currentColor'},"
    " 'encoding': {'x': {'value': 1}, 'text': {'field': 'words'},"
    "  'size': {'condition': {'test': 'isValid(datum.heading)', 'value': 14}, 'value': 12}}}";

/* JSON with ' for ", which reads well in C; a " in it stays, and what is in it is an expression. */
static json_t *from_template(const char *text) {
    char json[3000];
    size_t n = 0;
    bool expression = false;
    for (; *text && n + 1 < sizeof json; text++) {
        expression ^= *text == '"';
        json[n++] = *text;
        if (*text == '\'' && !expression)
            json[n - 1] = '"';
    }
    json[n] = 0;
    return json_loads(json, 0, NULL);
}

static json_t *values_of(const wb_chart *chart) {
    json_t *values = json_array();
    char label[200];
    int order = 0;
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i], *reference = wb_chart_reference(chart, i);
        const char *heading = wb_chart_heading(chart, i);
        if (heading)
            json_array_append_new(values,
                                  json_pack("{s:s, s:i}", "heading", heading, "order", order++));
        bool drawn = !row->pending && isfinite(row->value) && row->value > 0;
        json_t *value = json_pack("{s:s, s:s, s:s, s:s, s:i}", "name", row->name, "group",
                                  row->group ? row->group : "", "label",
                                  wb_chart_label(chart, i, label, sizeof label), "kind",
                                  row->reference ? "reference"
                                  : row->yours   ? "yours"
                                                 : "kernel",
                                  "order", order++);
        if (drawn)
            json_object_set_new(value, "value", json_real(row->value));
        if (drawn && row->high > 0 && row->low > 0 && isfinite(row->low) && isfinite(row->high)) {
            json_object_set_new(value, "low", json_real(row->low));
            json_object_set_new(value, "high", json_real(row->high));
        }
        if (reference && !reference->pending && reference->value > 0)
            json_object_set_new(value, "reference", json_real(reference->value));
        json_array_append_new(values, value);
    }
    return values;
}

/* The channel x of the marks, which decides the axis. */
static json_t *x_of(const wb_chart *chart, const wb_chart_axis *axis) {
    json_t *ticks = json_array();
    for (size_t i = 0; i < axis->n_ticks; i++)
        json_array_append_new(ticks, json_real(axis->ticks[i]));
    char *title = wb_chart_axis_title(chart, axis);
    json_t *x =
        json_pack("{s:s, s:s, s:o, s:{s:o, s:s}, s:{s:s, s:[ff], s:b}}", "field", "value", "type",
                  "quantitative", "title", wb_chart_lines(title ? title : "", CAPTION_COLUMNS),
                  "axis", "values", ticks, "labelOverlap", "greedy", "scale", "type",
                  axis->logarithmic ? "log" : "linear", "domain", axis->low, axis->high, "nice", 0);
    free(title);
    return x;
}

static json_t *layers_of(const wb_chart *chart) {
    wb_chart_axis axis = wb_chart_axis_of(chart);
    json_t *layers = json_array(), *marks = from_template(axis.logarithmic ? POINT : BAR);
    json_object_set_new(json_object_get(marks, "encoding"), "x", x_of(chart, &axis));
    if (axis.logarithmic)
        json_array_append_new(layers, from_template(GUIDE));
    json_array_append_new(layers, marks);
    json_array_append_new(layers, from_template(WHISKER));
    json_array_append_new(layers, from_template(REFERENCE));
    json_array_append_new(layers, from_template(UPPER));
    json_array_append_new(layers, from_template(LOWER));
    if (chart->limit > 0) {
        json_t *limit = from_template(LIMIT);
        json_object_set_new(json_object_get(limit, "encoding"), "x",
                            json_pack("{s:f}", "datum", chart->limit));
        json_array_append_new(layers, limit);
    }
    return layers;
}

json_t *wb_chart_vega(const wb_chart *chart) {
    char title[300];
    json_t *spec = from_template(FRAME), *heading = json_object_get(spec, "title");
    char *words = wb_chart_words(chart);
    json_object_set_new(spec, "description", json_string(words ? words : ""));
    json_object_set_new(heading, "text",
                        wb_chart_lines(wb_chart_title(chart, title, sizeof title), 30));
    if (chart->subtitle)
        json_object_set_new(heading, "subtitle", wb_chart_lines(chart->subtitle, CAPTION_COLUMNS));
    json_object_set_new(spec, "data", json_pack("{s:o}", "values", values_of(chart)));
    json_object_set_new(spec, "layer", layers_of(chart));
    free(words);
    return spec;
}
