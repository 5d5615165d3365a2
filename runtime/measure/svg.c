/* svg.c: the chart as a picture of its own.
 *
 * A card with its own background: an SVG shown through <img> knows nothing of the page around it,
 * so text that trusted the page's background would vanish on the other theme. The media query turns
 * background and ink together. */
#include "runtime/measure/chart.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

enum {
    PAD = 20, /* around everything */
    ROW = 27, /* a bar and the gap below it */
    BAR = 16,
    GROUP = 26,       /* a group's heading */
    PLOT_WIDTH = 420, /* the bars' room */
};

/* An estimate of a text's width: 12 px system fonts average under 6.6 px a column. */
static int text_width(const char *text) {
    return (int)(6.6 * (double)wb_table_width(text)) + 1;
}

static void put_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
                     const char *text) {
    wb_buf_printf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class,
                  anchor, x, y);
    for (; *text; text++) {
        if (*text == '<')
            wb_buf_puts(out, "&lt;");
        else if (*text == '>')
            wb_buf_puts(out, "&gt;");
        else if (*text == '&')
            wb_buf_puts(out, "&amp;");
        else if ((unsigned char)*text >= 0x20)
            wb_buf_putc(out, *text);
    }
    wb_buf_puts(out, "</text>\n");
}

static void put_line(wb_buf *out, const char *class, double x1, double y1, double x2, double y2) {
    wb_buf_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                  class, x1, y1, x2, y2);
}

/* The step between ticks: 1, 2 or 5 times a power of ten, so that about five fit. */
static double tick_step(double largest) {
    double rough = largest / 5, power = pow(10, floor(log10(rough)));
    double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

typedef struct layout {
    int names, labels;  /* widths of the columns beside the bars */
    double left, scale; /* x of zero; px a unit */
    double largest, step;
    double top, bottom; /* of the bars' room */
    int width, height;
} layout;

static bool starts_group(const wb_chart *chart, size_t i) {
    const wb_chart_row *row = &chart->rows[i];
    return row->group && (i == 0 || !row[-1].group || strcmp(row->group, row[-1].group) != 0);
}

static layout lay_out(const wb_chart *chart) {
    layout l = {.names = 60, .largest = chart->limit};
    char label[200];
    int rows = 0, groups = 0;
    for (size_t i = 0; i < chart->n_rows; i++) {
        const wb_chart_row *row = &chart->rows[i];
        int name = text_width(row->name);
        int text = text_width(wb_chart_label(chart, i, label, sizeof label)) + 12;
        l.names = name > l.names ? name : l.names;
        l.labels = text > l.labels ? text : l.labels;
        if (!row->pending)
            l.largest = fmax(l.largest, fmax(row->value, row->high));
        rows++;
        groups += starts_group(chart, i);
    }
    if (!(l.largest > 0) || !isfinite(l.largest))
        l.largest = 1;
    l.step = tick_step(l.largest);
    l.left = PAD + l.names + 12;
    l.scale = PLOT_WIDTH / l.largest;
    l.top = PAD + 18 + (chart->subtitle ? 20 : 0) + 14;
    l.bottom = l.top + rows * ROW + groups * GROUP + 4;
    l.width = (int)l.left + PLOT_WIDTH + l.labels + PAD;
    int heading = text_width(chart->subtitle ? chart->subtitle : "") + 2 * PAD;
    l.width = heading > l.width ? heading : l.width;
    l.height = (int)l.bottom + 44 + (chart->limit > 0 ? 8 : 0);
    return l;
}

static const char STYLE[] =
    "<style>\n"
    "text{font:12px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;"
    "fill:#24292f}\n"
    ".name,.value{paint-order:stroke;stroke:#ffffff;stroke-width:4px}\n"
    ".title{font-size:15px;font-weight:600}.quiet{fill:#57606a}.group{font-weight:600}\n"
    ".card{fill:#ffffff;stroke:#d0d7de}.grid{stroke:#d8dee4}\n"
    ".bar{fill:#2e86c8}.ref{fill:#d55e00}.refline{stroke:#d55e00;stroke-dasharray:5 4}\n"
    ".whisker{stroke:#24292f;stroke-width:1.5}.limit{stroke:#57606a;stroke-dasharray:2 3}\n"
    "@media "
    "(prefers-color-scheme:dark){text{fill:#e6edf3}.name,.value{stroke:#161b22}.quiet{fill:#9aa4af}"
    "\n"
    ".card{fill:#161b22;stroke:#30363d}.grid{stroke:#2b323b}.whisker{stroke:#e6edf3}"
    ".limit{stroke:#9aa4af}}\n"
    "</style>\n";

static void put_axis(wb_buf *out, const wb_chart *chart, const layout *l) {
    char text[160];
    for (int i = 0; i * l->step <= l->largest * 1.0001; i++) {
        double x = l->left + i * l->step * l->scale;
        put_line(out, "grid", x, l->top - 4, x, l->bottom);
        wb_stats_number(i * l->step, text, sizeof text);
        put_text(out, "quiet", "middle", x, l->bottom + 15, i == 0 ? "0" : text);
    }
    snprintf(text, sizeof text, "%s (%s)%s", chart->quantity, chart->unit,
             chart->lower_is_better ? ", shorter is better" : "");
    put_text(out, "quiet", "middle", l->left + PLOT_WIDTH / 2.0, l->bottom + 33, text);
}

/* The reference's line through the rows first..end of one group. */
static void put_reference_line(wb_buf *out, const wb_chart *chart, const layout *l, size_t row,
                               double top, double bottom) {
    const wb_chart_row *reference = wb_chart_reference(chart, row);
    if (!reference || reference->pending || !(reference->value > 0))
        return;
    double x = l->left + reference->value * l->scale;
    put_line(out, "refline", x, top, x, bottom);
}

static void put_row(wb_buf *out, const wb_chart *chart, const layout *l, size_t i, double y) {
    const wb_chart_row *row = &chart->rows[i];
    char label[200];
    double base = y + BAR / 2.0 + 4, end = l->left;
    put_text(out, "name", "end", l->left - 10, base, row->name);
    if (!row->pending && row->value > 0) {
        double length = fmax(row->value * l->scale, 1.5);
        wb_buf_printf(out,
                      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
                      "rx=\"2\"/>\n",
                      row->reference ? "ref" : "bar", l->left, y, length, BAR);
        end += length;
    }
    if (!row->pending && row->high > 0) {
        double low = l->left + row->low * l->scale, high = l->left + row->high * l->scale;
        put_line(out, "whisker", low, y + BAR / 2.0, high, y + BAR / 2.0);
        put_line(out, "whisker", low, y + 4, low, y + BAR - 4);
        put_line(out, "whisker", high, y + 4, high, y + BAR - 4);
        end = fmax(end, high);
    }
    put_text(out, row->pending ? "quiet" : "value", "start", end + 8, base,
             wb_chart_label(chart, i, label, sizeof label));
}

char *wb_chart_svg(const wb_chart *chart) {
    layout l = lay_out(chart);
    wb_buf out = {0};
    wb_buf_printf(&out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\">\n",
                  l.width, l.height, l.width, l.height);
    wb_buf_puts(&out, STYLE);
    wb_buf_printf(
        &out, "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
        l.width - 1, l.height - 1);
    put_text(&out, "title", "start", PAD, PAD + 14, chart->title);
    if (chart->subtitle)
        put_text(&out, "quiet", "start", PAD, PAD + 34, chart->subtitle);
    put_axis(&out, chart, &l);
    if (chart->limit > 0) {
        double x = l.left + chart->limit * l.scale;
        put_line(&out, "limit", x, l.top - 4, x, l.bottom);
        put_text(&out, "quiet", "end", x - 4, l.top - 8,
                 chart->limit_name ? chart->limit_name : "limit");
    }
    double y = l.top, group_top = y;
    for (size_t i = 0; i < chart->n_rows; i++) {
        if (starts_group(chart, i)) {
            put_text(&out, "group", "start", PAD, y + 15, chart->rows[i].group);
            y += GROUP;
        }
        if (i == 0 || starts_group(chart, i))
            group_top = y;
        put_row(&out, chart, &l, i, y + (ROW - BAR) / 2.0);
        y += ROW;
        if (i + 1 == chart->n_rows || starts_group(chart, i + 1))
            put_reference_line(&out, chart, &l, i, group_top, y);
    }
    wb_buf_puts(&out, "</svg>\n");
    return wb_buf_steal(&out);
}
