/* svg.c: the chart as a picture of its own.
 *
 * A card with its own background: an SVG shown through <img> knows nothing of the page around it,
 * so text that trusted the page's background would vanish on the other theme. The media query turns
 * background and ink together. It shrinks with its page, and <title> and <desc> say what it shows.
 */
#include "runtime/measure/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

enum {
    PAD = 20,   /* around everything */
    ROW = 36,   /* words, a mark below them, and a gap */
    WORDS = 14, /* the words' base line in it */
    BAR_TOP = 19,
    BAR = 10,
    LINE = 16,        /* of a caption */
    PLOT_WIDTH = 560, /* the marks' room at least */
};

/* An estimate of a text's width: 12 px system fonts average under 6.6 px a column. */
static int text_width(const char *text) {
    return (int)(6.6 * (double)wb_table_width(text)) + 1;
}

static void put_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
                     const char *text) {
    wb_buf_printf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class,
                  anchor, x, y);
    wb_buf_markup(out, text);
    wb_buf_puts(out, "</text>\n");
}

static void put_line(wb_buf *out, const char *class, double x1, double y1, double x2, double y2) {
    wb_buf_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                  class, x1, y1, x2, y2);
}

typedef struct layout {
    wb_chart_axis axis;
    double top, bottom; /* of the marks' room */
    int plot, width, height;
    json_t *subtitle, *caption; /* their lines */
} layout;

static double x_of(const layout *l, double value) {
    return PAD + wb_chart_place(&l->axis, value) * l->plot;
}

/* "transpose.padded   1,876 GB/s · 0.45×" */
static const char *row_words(const wb_chart *chart, size_t i, char *text, size_t size) {
    char label[200];
    snprintf(text, size, "%s   %s", chart->rows[i].name,
             wb_chart_label(chart, i, label, sizeof label));
    return text;
}

static layout lay_out(const wb_chart *chart) {
    layout l = {.axis = wb_chart_axis_of(chart), .plot = PLOT_WIDTH};
    char text[400];
    size_t rows = chart->n_rows;
    for (size_t i = 0; i < chart->n_rows; i++) {
        int width = text_width(row_words(chart, i, text, sizeof text));
        l.plot = width > l.plot ? width : l.plot;
        rows += wb_chart_heading(chart, i) != NULL;
    }
    size_t columns = (size_t)(l.plot / 6.6);
    char *caption = wb_chart_axis_title(chart, &l.axis);
    l.subtitle = wb_chart_lines(chart->subtitle ? chart->subtitle : "", columns);
    l.caption = wb_chart_lines(caption ? caption : "", columns);
    free(caption);
    l.top = PAD + 24 + LINE * (double)json_array_size(l.subtitle);
    l.bottom = l.top + ROW * (double)rows + 4;
    l.width = PAD + l.plot + 2 * PAD;
    l.height = (int)l.bottom + 22 + LINE * (int)json_array_size(l.caption) + 8;
    return l;
}

static const char STYLE[] =
    "<style>\n"
    "text{font:12px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;"
    "fill:#24292f}\n"
    ".words{paint-order:stroke;stroke:#ffffff;stroke-width:4px;white-space:pre}\n"
    ".title{font-size:15px;font-weight:600}.quiet{fill:#57606a}.group{font-weight:600}\n"
    ".card{fill:#ffffff;stroke:#d0d7de}.grid{stroke:#d8dee4}\n"
    ".guide{stroke:#8c959f;stroke-dasharray:1 3}\n"
    ".kernel{fill:#2e86c8}.reference{fill:#d55e00}.yours{fill:#009e73}\n"
    ".refline{stroke:#d55e00;stroke-width:1.5}\n"
    ".whisker{stroke:#24292f;stroke-width:1.5}.limit{stroke:#57606a;stroke-dasharray:2 3}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.words{stroke:#161b22}"
    ".quiet{fill:#9aa4af}\n"
    ".card{fill:#161b22;stroke:#30363d}.grid{stroke:#2b323b}.whisker{stroke:#e6edf3}"
    ".limit{stroke:#9aa4af}}\n"
    "</style>\n";

static void put_lines(wb_buf *out, const char *anchor, double x, double y, const json_t *lines) {
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line) {
        put_text(out, "quiet", anchor, x, y + LINE * (double)i, json_string_value(line));
    }
}

static void put_axis(wb_buf *out, const layout *l) {
    char text[60];
    double last = -1e9;
    for (size_t i = 0; i < l->axis.n_ticks; i++) {
        double x = x_of(l, l->axis.ticks[i]);
        put_line(out, "grid", x, l->top - 4, x, l->bottom);
        if (x - last < 40)
            continue; /* its number would touch the one before */
        last = x;
        put_text(out, "quiet", "middle", x, l->bottom + 15,
                 l->axis.ticks[i] == 0 ? "0"
                                       : wb_stats_number(l->axis.ticks[i], text, sizeof text));
    }
    put_lines(out, "middle", PAD + l->plot / 2.0, l->bottom + 33, l->caption);
}

/* A bar; on a logarithmic axis a point: a circle, the reference's a square, one's own a diamond. */
static void put_mark(wb_buf *out, const wb_chart_row *row, const layout *l, double y) {
    const char *class = row->reference ? "reference" : row->yours ? "yours" : "kernel";
    double x = x_of(l, row->value), middle = y + BAR / 2.0;
    if (!l->axis.logarithmic) {
        wb_buf_printf(out,
                      "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
                      "rx=\"2\"/>\n",
                      class, PAD, y, fmax(x - PAD, 1.5), BAR);
        return;
    }
    put_line(out, "guide", PAD, middle, PAD + l->plot, middle);
    if (row->reference)
        wb_buf_printf(out,
                      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\"/>\n",
                      class, x - 5, y);
    else if (row->yours)
        wb_buf_printf(out, "<path class=\"%s\" d=\"M%.1f %.1fl7 7l-7 7l-7-7z\"/>\n", class, x,
                      middle - 7);
    else
        wb_buf_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5.5\"/>\n", class, x,
                      middle);
}

static void put_row(wb_buf *out, const wb_chart *chart, const layout *l, size_t i, double top) {
    const wb_chart_row *row = &chart->rows[i], *reference = wb_chart_reference(chart, i);
    double y = top + BAR_TOP, middle = y + BAR / 2.0;
    char text[400];
    if (!row->pending && row->value > 0 && isfinite(row->value))
        put_mark(out, row, l, y);
    if (!row->pending && row->low > 0 && row->high > 0) {
        double low = x_of(l, row->low), high = x_of(l, row->high);
        put_line(out, "whisker", low, middle, high, middle);
        put_line(out, "whisker", low, y + 2, low, y + BAR - 2);
        put_line(out, "whisker", high, y + 2, high, y + BAR - 2);
    }
    if (reference && !reference->pending && reference->value > 0) {
        double x = x_of(l, reference->value);
        put_line(out, "refline", x, y - 4, x, y + BAR + 4);
    }
    put_text(out, row->pending ? "quiet" : "words", "start", PAD, top + WORDS,
             row_words(chart, i, text, sizeof text));
}

static void put_heading(wb_buf *out, const wb_chart *chart, const layout *l) {
    char title[300];
    char *words = wb_chart_words(chart);
    wb_chart_title(chart, title, sizeof title);
    wb_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"0 0 %d %d\" style=\"max-width:100%%;height:auto\" role=\"img\">\n<title>",
        l->width, l->height, l->width, l->height);
    wb_buf_markup(out, title);
    wb_buf_puts(out, "</title>\n<desc>");
    wb_buf_markup(out, words ? words : "");
    wb_buf_puts(out, "</desc>\n");
    wb_buf_puts(out, STYLE);
    wb_buf_printf(
        out, "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
        l->width - 1, l->height - 1);
    put_text(out, "title", "start", PAD, PAD + 14, title);
    put_lines(out, "start", PAD, PAD + 32, l->subtitle);
    free(words);
}

char *wb_chart_svg(const wb_chart *chart) {
    layout l = lay_out(chart);
    wb_buf out = {0};
    put_heading(&out, chart, &l);
    put_axis(&out, &l);
    if (chart->limit > 0)
        put_line(&out, "limit", x_of(&l, chart->limit), l.top - 4, x_of(&l, chart->limit),
                 l.bottom);
    double y = l.top;
    for (size_t i = 0; i < chart->n_rows; i++, y += ROW) {
        const char *heading = wb_chart_heading(chart, i);
        if (heading) {
            put_text(&out, "group", "start", PAD, y + BAR_TOP + BAR, heading);
            y += ROW;
        }
        put_row(&out, chart, &l, i, y);
    }
    wb_buf_puts(&out, "</svg>\n");
    json_decref(l.subtitle);
    json_decref(l.caption);
    return wb_buf_steal(&out);
}
