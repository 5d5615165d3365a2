/* chart.c: what all three drawings share: labels, words, the axis; and the text drawing. */
#include "runtime/measure/chart.h"
#include "runtime/base/language.h"

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
        snprintf(text, size, wb_tr("measuring …"));
        return text;
    }
    if (!(row->value > 0) && row->note) { /* nothing was measured, and the note says why */
        snprintf(text, size, "%s%s", row->note, row->yours ? wb_tr(" · yours") : "");
        return text;
    }
    char number[40], ratio[40] = "";
    double times = wb_chart_ratio(chart, i);
    if (row->reference)
        snprintf(ratio, sizeof ratio, wb_tr(" · reference"));
    else if (times > 0)
        snprintf(ratio, sizeof ratio, times < 0.095 ? " · %.3f×" : " · %.2f×", times);
    snprintf(text, size, "%s %s%s%s%s%s", wb_stats_number(row->value, number, sizeof number),
             chart->unit, ratio, row->note ? " · " : "", row->note ? row->note : "",
             row->yours ? wb_tr(" · yours") : "");
    return text;
}

static bool starts_group(const wb_chart *chart, size_t i) {
    return chart->rows[i].group && (i == 0 || !same_group(&chart->rows[i], &chart->rows[i - 1]));
}

size_t wb_chart_groups(const wb_chart *chart) {
    size_t n = 0;
    for (size_t i = 0; i < chart->n_rows; i++)
        n += starts_group(chart, i);
    return n;
}

const char *wb_chart_heading(const wb_chart *chart, size_t i) {
    return wb_chart_groups(chart) > 1 && starts_group(chart, i) ? chart->rows[i].group : NULL;
}

const char *wb_chart_title(const wb_chart *chart, char *text, size_t size) {
    bool one = wb_chart_groups(chart) == 1;
    snprintf(text, size, "%s%s%s", chart->title, one ? ", " : "", one ? chart->rows[0].group : "");
    return text;
}

char *wb_chart_words(const wb_chart *chart) {
    char text[300];
    wb_buf out = {0};
    wb_buf_printf(&out, "%s: %s (%s)", wb_chart_title(chart, text, sizeof text), chart->quantity,
                  chart->unit);
    if (chart->subtitle)
        wb_buf_printf(&out, "; %s", chart->subtitle);
    for (size_t i = 0; i < chart->n_rows; i++) {
        const char *heading = wb_chart_heading(chart, i);
        wb_buf_puts(&out, i == 0 ? ". " : "; ");
        if (heading)
            wb_buf_printf(&out, "%s: ", heading);
        wb_buf_printf(&out, "%s %s", chart->rows[i].name,
                      wb_chart_label(chart, i, text, sizeof text));
    }
    wb_buf_puts(&out, ".");
    return wb_buf_steal(&out);
}

static size_t letter_at(const char *text) {
    size_t n = *text != '\0';
    while (((unsigned char)text[n] & 0xC0) == 0x80)
        n++;
    return n;
}

static bool is_one_of(const char *letter, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strncmp(letter, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* May a line end between these two letters? Beside a Chinese one it may, but for its punctuation.
 */
static bool may_part(const char *left, const char *right) {
    static const char *const closing[] = {"，", "。", "：", "；", "、", "）", "”", "？", "！"};
    static const char *const opening[] = {"（", "“"};
    bool wide =
        wb_utf8_width(left, letter_at(left)) == 2 || wb_utf8_width(right, letter_at(right)) == 2;
    return wide && !is_one_of(right, closing, WB_COUNT(closing)) &&
           !is_one_of(left, opening, WB_COUNT(opening));
}

/* What stays together: up to a blank, but 2048 × 2048 is one word, or to where Chinese may part. */
static size_t word_at(const char *text) {
    static const char times[] = " × ";
    size_t n = 0;
    while (text[n] && text[n] != ' ') {
        const char *left = text + n;
        n += letter_at(left);
        if (strncmp(text + n, times, strlen(times)) == 0)
            n += strlen(times);
        else if (text[n] && text[n] != ' ' && may_part(left, text + n))
            break;
    }
    return n;
}

json_t *wb_chart_lines(const char *text, size_t columns) {
    json_t *lines = json_array();
    wb_buf line = {0};
    for (bool blank = false; *text;) {
        size_t word = word_at(text);
        size_t width = line.len ? wb_utf8_width(line.data, line.len) + blank : 0;
        if (line.len && width + wb_utf8_width(text, word) > columns) {
            json_array_append_new(lines, json_string(line.data));
            wb_buf_clear(&line);
        }
        if (line.len && blank)
            wb_buf_putc(&line, ' ');
        wb_buf_append(&line, text, word);
        text += word;
        blank = *text == ' ';
        text += strspn(text, " ");
    }
    if (line.len)
        json_array_append_new(lines, json_string(line.data));
    wb_buf_free(&line);
    return lines;
}

/* ---- the axis ----------------------------------------------------------------------------- */

/* From here on the smallest bar of a linear axis is a sliver whose length says nothing. */
static const double SPREAD = 20;

static void widen(double value, double *low, double *high) {
    if (!(value > 0) || !isfinite(value))
        return;
    *low = *low > 0 ? fmin(*low, value) : value;
    *high = fmax(*high, value);
}

/* The multiples of a power of ten at which a logarithmic axis has its ticks: as few as will do. */
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

/* 1, 2 or 5 times a power of ten, so that about five fit. */
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

char *wb_chart_axis_title(const wb_chart *chart, const wb_chart_axis *axis) {
    bool reference = false;
    for (size_t i = 0; i < chart->n_rows; i++)
        reference |= chart->rows[i].reference;
    wb_buf out = {0};
    wb_buf_printf(&out, "%s (%s)", chart->quantity, chart->unit);
    if (axis->logarithmic)
        wb_buf_printf(&out, ", logarithmic scale%s",
                      chart->lower_is_better ? wb_tr(", further left is better") : "");
    else if (chart->lower_is_better)
        wb_buf_puts(&out, wb_tr(", shorter is better"));
    if (reference)
        wb_buf_puts(&out, wb_tr("; line: the reference"));
    if (chart->limit > 0)
        wb_buf_printf(&out, "; dotted: %s",
                      chart->limit_name ? chart->limit_name : wb_tr("the limit"));
    return wb_buf_steal(&out);
}

/* ---- text --------------------------------------------------------------------------------- */

/* A bar of `eighths` eighths of a column, in block characters. */
static void put_bar(wb_buf *out, int eighths) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (int i = 0; i < eighths / 8; i++)
        wb_buf_puts(out, "█");
    wb_buf_puts(out, parts[eighths % 8]);
}

/* A bar; on a logarithmic axis, where lengths mean nothing, a dot at the end of a row of points. */
static void put_mark(wb_buf *out, const wb_chart_axis *axis, const wb_chart_row *row, int room) {
    if (row->pending || !(row->value > 0))
        return;
    double share = wb_chart_place(axis, row->value);
    if (axis->logarithmic) {
        int columns = (int)lround(share * (room - 1));
        for (int i = 0; i < columns; i++)
            wb_buf_puts(out, "·");
        wb_buf_puts(out, "●");
    } else {
        int eighths = (int)lround(share * room * 8);
        put_bar(out, eighths < 1 ? 1 : eighths);
    }
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
    wb_chart_axis axis = wb_chart_axis_of(chart);
    wb_buf out = {0};
    wb_buf_printf(&out, "%s\n", chart->title);
    if (chart->subtitle)
        wb_buf_printf(&out, "%s\n", chart->subtitle);
    if (axis.logarithmic)
        wb_buf_puts(&out, wb_tr("logarithmic scale: equal steps are equal ratios\n"));
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i];
        if (starts_group(chart, i))
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
    return wb_buf_steal(&out);
}
