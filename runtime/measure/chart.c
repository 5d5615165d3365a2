/* chart.c: labels, axis, text and pictures of a chart.
 *
 * In a notebook the picture is as wide as its cell. Positions along the axis are percentages of the
 * plot. The text around the plot is HTML, which wraps. */
#include "runtime/measure/chart.h"

#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/canvas/canvas.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

static bool same_group(const wb_chart_row *a, const wb_chart_row *b) {
    return (!a->group && !b->group) || (a->group && b->group && strcmp(a->group, b->group) == 0);
}

static const wb_chart_row *reference_of(const wb_chart *chart, size_t i) {
    for (size_t r = 0; r < chart->n_rows; r++)
        if (chart->rows[r].reference && same_group(&chart->rows[r], &chart->rows[i]))
            return &chart->rows[r];
    return NULL;
}

double wb_chart_ratio(const wb_chart *chart, size_t i) {
    const wb_chart_row *row = &chart->rows[i], *reference = reference_of(chart, i);
    if (!reference || row->pending || reference->pending || !(row->value > 0) ||
        !(reference->value > 0))
        return 0;
    return chart->lower_is_better ? reference->value / row->value : row->value / reference->value;
}

const char *wb_chart_label(const wb_chart *chart, size_t i, char *text, size_t size) {
    const wb_chart_row *row = &chart->rows[i];
    if (row->pending) {
        snprintf(text, size, _("measuring …"));
        return text;
    }
    char number[40], ratio[40] = "";
    double times = wb_chart_ratio(chart, i);
    if (row->reference)
        snprintf(ratio, sizeof ratio, _(" · reference"));
    else if (times > 0)
        snprintf(ratio, sizeof ratio, times < 0.095 ? " · %.3f×" : " · %.2f×", times);
    snprintf(text, size, "%s %s%s%s%s%s", wb_stats_number(row->value, number, sizeof number),
             chart->unit, ratio, row->note ? " · " : "", row->note ? row->note : "",
             row->yours ? _(" · yours") : "");
    return text;
}

/* Returns true if the row is in the plot. The others are listed below it. */
static bool is_drawn(const wb_chart_row *row) {
    return row->pending || (row->value > 0 && isfinite(row->value));
}

/* Returns the group's name if drawn row i is the first of it, or NULL. */
static const char *group_at(const wb_chart *chart, size_t i) {
    for (size_t k = i; k-- > 0 && same_group(&chart->rows[i], &chart->rows[k]);)
        if (is_drawn(&chart->rows[k]))
            return NULL;
    return chart->rows[i].group;
}

static size_t groups_of(const wb_chart *chart) {
    size_t n = 0;
    for (size_t i = 0; i < chart->n_rows; i++)
        n += chart->rows[i].group && (i == 0 || !same_group(&chart->rows[i], &chart->rows[i - 1]));
    return n;
}

/* Returns the heading above drawn row i, or NULL. A single group is in the title instead. */
static const char *heading_of(const wb_chart *chart, size_t i) {
    return groups_of(chart) > 1 ? group_at(chart, i) : NULL;
}

/* Writes the title, with the name of a single group. Returns text. */
static const char *title_of(const wb_chart *chart, char text[300]) {
    bool one = groups_of(chart) == 1;
    snprintf(text, 300, "%s%s%s", chart->title, one ? ", " : "", one ? chart->rows[0].group : "");
    return text;
}

/* Appends the reason why the row has no value. */
static void put_reason(const wb_chart_row *row, wb_buf *out) {
    wb_buf_puts(out, row->note ? row->note : _("no value"));
    wb_buf_puts(out, row->yours ? _(" · yours") : "");
}

/* Appends a line for each row without a value. */
static void put_missing(const wb_chart *chart, wb_buf *out) {
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i];
        bool grouped = groups_of(chart) > 1;
        if (is_drawn(row))
            continue;
        wb_buf_printf(out, "%s%s%s: ", row->name, grouped ? ", " : "", grouped ? row->group : "");
        put_reason(row, out);
        wb_buf_putc(out, '\n');
    }
}

char *wb_chart_words(const wb_chart *chart) {
    char text[300];
    wb_buf out = {0};
    wb_buf_printf(&out, "%s: %s (%s)", title_of(chart, text), chart->quantity, chart->unit);
    if (chart->subtitle)
        wb_buf_printf(&out, "; %s", chart->subtitle);
    for (size_t i = 0; i < chart->n_rows; i++) {
        const char *heading = heading_of(chart, i);
        wb_buf_puts(&out, i == 0 ? ". " : "; ");
        if (heading)
            wb_buf_printf(&out, "%s: ", heading);
        wb_buf_printf(&out, "%s ", chart->rows[i].name);
        if (is_drawn(&chart->rows[i]))
            wb_buf_puts(&out, wb_chart_label(chart, i, text, sizeof text));
        else
            put_reason(&chart->rows[i], &out);
    }
    wb_buf_puts(&out, ".");
    return wb_buf_steal(&out);
}

/* ---- the axis ----------------------------------------------------------------------------- */

/* If values differ by more than this factor, a linear axis would hide the smallest bars. */
static const double SPREAD = 20;

static void widen(double value, double *low, double *high) {
    if (!(value > 0) || !isfinite(value))
        return;
    *low = *low > 0 ? fmin(*low, value) : value;
    *high = fmax(*high, value);
}

/* Adds ticks at multiples of powers of ten, as few as possible. */
static void add_log_ticks(wb_chart_axis *axis) {
    static const double DENSE[] = {1, 2, 5};
    size_t digits = axis->high / axis->low > 100 ? 1 : 3;
    int last = (int)ceil(log10(axis->high));
    for (int power = (int)floor(log10(axis->low)); power <= last; power++)
        for (size_t d = 0; d < digits; d++) {
            double tick = DENSE[d] * pow(10, power);
            bool inside = tick >= axis->low * 0.9999 && tick <= axis->high * 1.0001;
            if (inside && axis->n_ticks < WB_CHART_TICKS)
                axis->ticks[axis->n_ticks++] = tick;
        }
}

/* Adds about five ticks at multiples of 1, 2 or 5 times a power of ten. */
static void add_linear_ticks(wb_chart_axis *axis) {
    double rough = axis->high / 5, power = pow(10, floor(log10(rough)));
    double digit = rough / power, step = power * (digit <= 1   ? 1
                                                  : digit <= 2 ? 2
                                                  : digit <= 5 ? 5
                                                               : 10);
    for (int i = 0; i * step <= axis->high * 1.0001 && axis->n_ticks < WB_CHART_TICKS; i++)
        axis->ticks[axis->n_ticks++] = i * step;
}

wb_chart_axis wb_chart_axis_of(const wb_chart *chart) {
    wb_chart_axis axis = {.logarithmic = false};
    double low = 0, high = 0;
    for (size_t i = 0; i < chart->n_rows; i++)
        if (!chart->rows[i].pending)
            widen(chart->rows[i].value, &low, &high);
    axis.logarithmic = low > 0 && high / low > SPREAD;
    for (size_t i = 0; i < chart->n_rows; i++)
        if (!chart->rows[i].pending && chart->rows[i].high > 0) {
            widen(chart->rows[i].low, &low, &high);
            widen(chart->rows[i].high, &low, &high);
        }
    widen(chart->limit, &low, &high);
    if (!(high > 0))
        high = 1;
    axis.low = axis.logarithmic ? low / 1.25 : 0;
    axis.high = axis.logarithmic ? high * 1.25 : high * 1.02;
    (axis.logarithmic ? add_log_ticks : add_linear_ticks)(&axis);
    return axis;
}

double wb_chart_place(const wb_chart_axis *axis, double value) {
    double share = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                     : value / axis->high;
    return fmin(fmax(share, 0), 1);
}

/* Names the quantity, the better direction, a logarithmic axis, and the lines. The caller frees the
 * result. */
static char *axis_title(const wb_chart *chart, const wb_chart_axis *axis) {
    bool reference = false;
    for (size_t i = 0; i < chart->n_rows; i++)
        reference |= chart->rows[i].reference;
    wb_buf out = {0};
    wb_buf_printf(&out, "%s (%s)", chart->quantity, chart->unit);
    if (axis->logarithmic)
        wb_buf_printf(&out, _(", logarithmic scale%s"),
                      chart->lower_is_better ? _(", further left is better") : "");
    else if (chart->lower_is_better)
        wb_buf_puts(&out, _(", shorter is better"));
    if (reference)
        wb_buf_puts(&out, _("; line: the reference"));
    if (chart->limit > 0)
        wb_buf_printf(&out, _("; dotted: %s"),
                      chart->limit_name ? chart->limit_name : _("the limit"));
    return wb_buf_steal(&out);
}

/* ---- text --------------------------------------------------------------------------------- */

/* Draws a bar. On a logarithmic axis lengths mean nothing, so it draws a dot behind points. */
static void put_mark(wb_buf *out, const wb_chart_axis *axis, const wb_chart_row *row, int room) {
    if (row->pending)
        return;
    double share = wb_chart_place(axis, row->value);
    if (axis->logarithmic) {
        int columns = (int)lround(share * (room - 1));
        for (int i = 0; i < columns; i++)
            wb_buf_puts(out, "·");
        wb_buf_puts(out, "●");
    } else {
        int eighths = (int)lround(share * room * 8);
        wb_table_blocks(out, eighths < 1 ? 1 : eighths);
    }
}

char *wb_chart_text(const wb_chart *chart, int width) {
    size_t name_width = 0, label_width = 0;
    char label[200];
    for (size_t i = 0; i < chart->n_rows; i++) {
        if (!is_drawn(&chart->rows[i]))
            continue;
        size_t name = wb_table_width(chart->rows[i].name);
        size_t text = wb_table_width(wb_chart_label(chart, i, label, sizeof label));
        name_width = name > name_width ? name : name_width;
        label_width = text > label_width ? text : label_width;
    }
    int room = (width > 0 ? width : 78) - (int)name_width - (int)label_width - 4;
    if (room < 8)
        room = 8;
    wb_chart_axis axis = wb_chart_axis_of(chart);
    wb_buf out = {0};
    wb_buf_printf(&out, "%s\n", chart->title);
    if (chart->subtitle)
        wb_buf_printf(&out, "%s\n", chart->subtitle);
    if (axis.logarithmic)
        wb_buf_puts(&out, _("logarithmic scale: equal steps are equal ratios\n"));
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i];
        if (!is_drawn(row))
            continue;
        if (group_at(chart, i))
            wb_buf_printf(&out, "%s\n", row->group);
        wb_buf_printf(&out, "  %s%*s ", row->name, (int)(name_width - wb_table_width(row->name)),
                      "");
        put_mark(&out, &axis, row, room);
        wb_buf_printf(&out, " %s\n", wb_chart_label(chart, i, label, sizeof label));
    }
    if (chart->limit > 0) {
        char number[40];
        wb_buf_printf(&out, "  %s: %s %s\n", chart->limit_name ? chart->limit_name : "limit",
                      wb_stats_number(chart->limit, number, sizeof number), chart->unit);
    }
    put_missing(chart, &out);
    return wb_buf_steal(&out);
}

/* ---- pictures ----------------------------------------------------------------------------- */

enum {
    WIDTH = 860, /* of a picture in a file */
    ROW = 40,    /* text, a mark below it, and a gap */
    MARK_TOP = 24,
    MARK = 10,
    PLOT_TOP = 6, /* in a picture with only the plot */
};

/* Begins a part whose x = 0 is at this place of the plot, from 0 to 1. </svg> ends it. */
static void begin_at(wb_buf *out, double place) {
    wb_buf_printf(out, "<svg x=\"%.2f%%\" overflow=\"visible\">", 100 * place);
}

static void put_line_at(wb_buf *out, const char *class, double place, double top, double bottom) {
    begin_at(out, place);
    draw_line(out, class, 0, top, 0, bottom);
    wb_buf_puts(out, "</svg>\n");
}

static void put_across(wb_buf *out, const char *class, double from, double to, double y) {
    wb_buf_printf(out, "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                  class, 100 * from, 100 * to, y, y);
}

/* Draws ticks and the limit. Skips a number that is too close to the previous one. */
static void put_axis(wb_buf *out, const wb_chart *chart, const wb_chart_axis *axis, double top,
                     double bottom) {
    double last = -1, last_near = -1;
    char text[60];
    for (size_t i = 0; i < axis->n_ticks; i++) {
        double place = wb_chart_place(axis, axis->ticks[i]);
        bool near = place - last_near >= 0.15;
        put_line_at(out, "thin", place, top, bottom);
        if (place - last < 0.055)
            continue;
        last = place;
        last_near = near ? place : last_near;
        begin_at(out, place);
        draw_text(out, near ? "quiet" : "quiet far", "middle", 0, bottom + 15,
                  axis->ticks[i] == 0 ? "0" : wb_stats_number(axis->ticks[i], text, sizeof text));
        wb_buf_puts(out, "</svg>\n");
    }
    if (chart->limit > 0)
        put_line_at(out, "limit", wb_chart_place(axis, chart->limit), top, bottom);
}

/* Draws a bar. On a logarithmic axis it draws a point: a circle, a square for the reference, or a
 * diamond for the user's own. */
static void draw_mark(wb_buf *out, const wb_chart_row *row, const wb_chart_axis *axis, double y) {
    const char *class = row->reference ? "reference" : row->yours ? "yours" : "kernel";
    double place = wb_chart_place(axis, row->value), middle = y + MARK / 2.0;
    if (!axis->logarithmic) {
        wb_buf_printf(out,
                      "<rect class=\"%s\" y=\"%.1f\" width=\"%.2f%%\" height=\"%d\" rx=\"2\"/>\n",
                      class, y, fmax(100 * place, 0.2), MARK);
        return;
    }
    put_across(out, "guide", 0, 1, middle);
    begin_at(out, place);
    if (row->reference)
        draw_rect(out, class, -5, y, 10, 10);
    else
        wb_buf_printf(out,
                      row->yours ? "<path class=\"%s\" d=\"M0 %.1fl7 7l-7 7l-7-7z\"/>"
                                 : "<circle class=\"%s\" cy=\"%.1f\" r=\"5.5\"/>",
                      class, row->yours ? middle - 7 : middle);
    wb_buf_puts(out, "</svg>\n");
}

/* Draws a row. A fluid picture contains its text twice: on one line, and on two for a narrow
 * page. */
static void put_row(wb_buf *out, const wb_chart *chart, const wb_chart_axis *axis, size_t i,
                    double top, bool fluid) {
    const wb_chart_row *row = &chart->rows[i], *reference = reference_of(chart, i);
    double y = top + MARK_TOP, middle = y + MARK / 2.0;
    char label[200];
    wb_chart_label(chart, i, label, sizeof label);
    if (!row->pending)
        draw_mark(out, row, axis, y);
    if (!row->pending && row->low > 0 && row->high > 0) {
        double low = wb_chart_place(axis, row->low), high = wb_chart_place(axis, row->high);
        put_across(out, "whisker", low, high, middle);
        put_line_at(out, "whisker", low, y + 2, y + MARK - 2);
        put_line_at(out, "whisker", high, y + 2, y + MARK - 2);
    }
    if (reference && !reference->pending && reference->value > 0)
        put_line_at(out, "refline", wb_chart_place(axis, reference->value), y - 4, y + MARK + 4);
    draw_textf(out, fluid ? "words far" : "words", "start", 0, top + 18, "%s   %s", row->name,
               label);
    if (fluid) {
        draw_text(out, "words near head", "start", 0, top + 9, row->name);
        draw_text(out, "words near", "start", 0, top + 21, label);
    }
}

/* Draws rows and axis from y = top. Returns the y below, or `top` if there are no rows. */
static double put_plot(wb_buf *out, const wb_chart *chart, double top, bool fluid) {
    wb_chart_axis axis = wb_chart_axis_of(chart);
    WB_SCOPED_BUF wb_buf rows = {0};
    double y = top;
    for (size_t i = 0; i < chart->n_rows; i++) {
        const char *heading = is_drawn(&chart->rows[i]) ? heading_of(chart, i) : NULL;
        if (!is_drawn(&chart->rows[i]))
            continue;
        if (heading)
            draw_text(&rows, "head", "start", 0, y + 18, heading);
        y += heading ? 26 : 0;
        put_row(&rows, chart, &axis, i, y, fluid);
        y += ROW;
    }
    if (y > top) {
        wb_buf_printf(out, "<svg class=\"plot\" x=\"%d\" width=\"95%%\" overflow=\"visible\">\n",
                      DRAW_PAD);
        put_axis(out, chart, &axis, top, y += 4);
        wb_buf_append(out, rows.data, rows.len);
        wb_buf_puts(out, "</svg>\n");
        y += 24;
    }
    return y;
}

/* Appends the lines below the plot. */
static void put_notes(const wb_chart *chart, wb_buf *out) {
    wb_chart_axis axis = wb_chart_axis_of(chart);
    WB_SCOPED char *title = axis_title(chart, &axis);
    wb_buf_printf(out, "%s\n", title ? title : "");
    put_missing(chart, out);
}

char *wb_chart_svg(const wb_chart *chart) {
    wb_buf out = {0}, notes = {0};
    double y = DRAW_PAD + 14, width = WIDTH - 2 * DRAW_PAD;
    char title[300], *words = wb_chart_words(chart);
    draw_text(&out, "title", "start", DRAW_PAD, y, title_of(chart, title));
    y = draw_lines(&out, "quiet", DRAW_PAD, y + 20, width, chart->subtitle);
    y = put_plot(&out, chart, y - 4, false);
    put_notes(chart, &notes);
    y = draw_said(&out, "quiet", DRAW_PAD, y + 14, width, &notes);
    char *svg = draw_card(&out, WIDTH, y, 1, words, "%s", title);
    free(words);
    return svg;
}

/* Appends each line of the text on a line of its own. */
static void put_small(wb_buf *out, const char *text) {
    while (text && *text) {
        size_t len = strcspn(text, "\n");
        char *line = strndup(text, len);
        wb_buf_markupf(out, "<small>%s</small><br>\n", line);
        free(line);
        text += len + (text[len] == '\n');
    }
}

/* Returns the plot, as wide as the cell, between its title and its notes. The caller frees the
 * result. */
static char *markdown_of(const wb_chart *chart, const char *words) {
    wb_buf plot = {0}, notes = {0}, out = {0};
    char title[300];
    double height = put_plot(&plot, chart, PLOT_TOP, true);
    WB_SCOPED char *svg = draw_card(&plot, 0, height, 0, words, "%s", title_of(chart, title));
    wb_buf_markupf(&out, "<div><b>%s</b><br>\n", title);
    put_small(&out, chart->subtitle);
    if (height > PLOT_TOP) /* there are rows */
        draw_img(&out, svg, words, height);
    put_notes(chart, &notes);
    put_small(&out, notes.data);
    wb_buf_puts(&out, "</div>\n");
    wb_buf_free(&notes);
    return wb_buf_steal(&out);
}

json_t *wb_chart_bundle(const wb_chart *chart) {
    WB_SCOPED char *words = wb_chart_words(chart);
    json_t *bundle =
        draw_bundle(wb_chart_svg(chart), markdown_of(chart, words), wb_chart_text(chart, 0));
    return bundle;
}
