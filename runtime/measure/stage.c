/* stage.c: see stage.h. The picture is wide and its type large: seen as wide as a projector, its
 * smallest letters are a thirtieth of the screen's height. */
#include "runtime/measure/stage.h"
#include "runtime/base/language.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/measure/chart.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

enum {
    WIDTH = 1600,
    PAD = 36,
    TOP = 158,    /* of the first bar: title and the reference's name are above it */
    ROW = 112,    /* a bar and what lies below it */
    BAR = 66,     /* its height */
    VALUES = 400, /* the room for values, at the right */
    NAMES = 560,  /* the most that names take, at the left */
    NAME_COLUMNS = 22,
    FOOT = 70,
};
static const double LETTER = 25;    /* the width of a name's column, at 44 px */
static const double CHANGED = 0.01; /* less is none that anybody sees */

static const char STYLE[] =
    "<style>\n"
    "text{font:44px system-ui,-apple-system,'Segoe UI','Noto Sans','Noto Sans CJK SC','DejaVu "
    "Sans',sans-serif;fill:#24292f}\n"
    ".title{font-size:36px;fill:#57606a}.foot{font-size:36px;fill:#57606a}\n"
    ".value{font-weight:700;font-size:52px}.mine{font-weight:700}.quiet{fill:#57606a}\n"
    ".change{font-size:36px}.ref{fill:#a84300;font-weight:700}\n"
    ".card{fill:#ffffff;stroke:#d0d7de}.kernel{fill:#2e86c8}.yours{fill:#009e73}\n"
    ".line{stroke:#d55e00;stroke-width:7}.before{fill:none;stroke:#24292f;stroke-width:3;"
    "stroke-dasharray:9 7}\n"
    ".arrow{stroke:#24292f;stroke-width:6;fill:none;stroke-linejoin:round}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.title,.foot,.quiet{fill:#9aa4af}\n"
    ".card{fill:#161b22;stroke:#30363d}.ref{fill:#ff9a4d}.before,.arrow{stroke:#e6edf3}}\n"
    "</style>\n";

/* `columns` of the text at most, with a mark where it was cut. */
static void put_text(wb_buf *out, const char *class, const char *anchor, double x, double y,
                     const char *text, size_t columns) {
    char *copy = strdup(text);
    size_t len = copy ? strlen(copy) : 0;
    bool cut = copy && wb_table_width(copy) > columns;
    while (cut && len > 0 && wb_table_width(copy) >= columns) {
        while (len > 1 && ((unsigned char)copy[len - 1] & 0xC0) == 0x80)
            len--;
        copy[--len] = '\0';
    }
    wb_buf_printf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.0f\" y=\"%.0f\">", class,
                  anchor, x, y);
    wb_buf_markup(out, copy ? copy : "");
    wb_buf_puts(out, cut ? "…</text>\n" : "</text>\n");
    free(copy);
}

/* ---- what is said of a bar ------------------------------------------------------------------- */

static bool changed(const wb_stage_bar *bar) {
    return bar->value > 0 && bar->before > 0 && fabs(bar->value / bar->before - 1) >= CHANGED;
}

/* "▲ 2.1× the last run" */
static const char *change_words(const wb_stage_bar *bar, char *text, size_t size) {
    double ratio = bar->value / bar->before;
    snprintf(text, size, wb_tr("%s %.*f× the last run"), ratio > 1 ? "▲" : "▼", ratio < 10 ? 2 : 0,
             ratio);
    return text;
}

static const char *value_words(const wb_stage *s, const wb_stage_bar *bar, char *text,
                               size_t size) {
    char number[40];
    if (bar->value > 0)
        snprintf(text, size, "%s %s", wb_stats_number(bar->value, number, sizeof number), s->unit);
    else
        snprintf(text, size, "%s", bar->note ? bar->note : "…");
    return text;
}

static const char *reference_words(const wb_stage *s, char *text, size_t size) {
    char number[40];
    snprintf(text, size, "%s: %s %s", s->reference,
             wb_stats_number(s->reference_value, number, sizeof number), s->unit);
    return text;
}

/* ---- the picture ----------------------------------------------------------------------------- */

typedef struct layout {
    double left, plot; /* where bars begin, and how long the longest is */
    double most;       /* that it stands for */
} layout;

static layout lay_out(const wb_stage *s) {
    layout l = {.most = s->reference ? s->reference_value : 0};
    double names = 0;
    for (size_t i = 0; i < s->n_bars; i++) {
        size_t columns = wb_table_width(s->bars[i].name);
        names = fmax(names, LETTER * (double)(columns < NAME_COLUMNS ? columns : NAME_COLUMNS));
        l.most = fmax(l.most, fmax(s->bars[i].value, s->bars[i].before));
    }
    l.left = PAD + fmin(names, NAMES) + 24;
    l.plot = WIDTH - VALUES - PAD - l.left;
    return l;
}

static double x_of(const layout *l, double value) {
    return l->left + (l->most > 0 ? l->plot * value / l->most : 0);
}

/* From where the bar ended at the last run to where it ends now, below it. */
static void put_arrow(wb_buf *out, const layout *l, const wb_stage_bar *bar, double top) {
    double from = x_of(l, bar->before), to = x_of(l, bar->value), y = top + BAR + 22;
    double head = to > from ? -18 : 18;
    if (fabs(to - from) < 24) /* its words are all there is room for */
        return;
    wb_buf_printf(out, "<path class=\"arrow\" d=\"M%.1f %.1fH%.1fm%.0f -13l%.0f 13l%.0f 13\"/>\n",
                  from, y, to, head, -head, head);
}

static void put_bar(wb_buf *out, const wb_stage *s, const layout *l, size_t i) {
    const wb_stage_bar *bar = &s->bars[i];
    double top = TOP + ROW * (double)i;
    char text[200];
    put_text(out, bar->yours ? "mine" : "", "end", l->left - 24, top + 48, bar->name, NAME_COLUMNS);
    if (bar->value > 0)
        wb_buf_printf(out,
                      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
                      "rx=\"4\"/>\n",
                      bar->yours ? "yours" : "kernel", l->left, top,
                      fmax(x_of(l, bar->value) - l->left, 5), BAR);
    bool arrow = changed(bar);
    if (arrow || (bar->before > 0 && bar->value == 0))
        wb_buf_printf(
            out, "<rect class=\"before\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
            l->left, top, fmax(x_of(l, bar->before) - l->left, 2), BAR);
    if (arrow)
        put_arrow(out, l, bar, top);
    put_text(out, bar->value > 0 ? "value" : "quiet", "end", WIDTH - PAD, top + (arrow ? 40 : 51),
             value_words(s, bar, text, sizeof text), 40);
    if (arrow)
        put_text(out, "change", "end", WIDTH - PAD, top + 88, change_words(bar, text, sizeof text),
                 40);
}

/* The line runs behind all bars; its name stands above it, within the picture. */
static void put_reference(wb_buf *out, const wb_stage *s, const layout *l) {
    double x = x_of(l, s->reference_value), bottom = TOP + ROW * (double)s->n_bars - 30;
    char text[200];
    reference_words(s, text, sizeof text);
    double half = LETTER * (double)wb_table_width(text) / 2;
    const char *anchor = x - half < PAD ? "start" : x + half > WIDTH - PAD ? "end" : "middle";
    put_text(out, "ref", anchor, x, TOP - 32, text, 60);
    wb_buf_printf(out, "<line class=\"line\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.0f\"/>\n", x,
                  TOP - 22, x, bottom);
}

char *wb_stage_svg(const wb_stage *s) {
    layout l = lay_out(s);
    wb_buf out = {0};
    int height = TOP + ROW * (int)s->n_bars + FOOT;
    char *words = wb_stage_text(s);
    wb_buf_printf(&out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" style=\"max-width:100%%;height:auto\" role=\"img\">\n"
                  "<title>",
                  WIDTH, height, WIDTH, height);
    wb_buf_markup(&out, s->title);
    wb_buf_puts(&out, "</title>\n<desc>");
    wb_buf_markup(&out, words ? words : "");
    wb_buf_puts(&out, "</desc>\n");
    wb_buf_puts(&out, STYLE);
    wb_buf_printf(&out,
                  "<rect class=\"card\" x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"14\"/>\n",
                  WIDTH - 2, height - 2);
    put_text(&out, "title", "start", PAD, PAD + 32, s->title, 80);
    for (size_t i = 0; i < s->n_bars; i++)
        put_bar(&out, s, &l, i);
    if (s->reference && s->reference_value > 0)
        put_reference(&out, s, &l);
    put_text(&out, "foot", "start", PAD, height - PAD, s->words ? s->words : "", 84);
    wb_buf_puts(&out, "</svg>\n");
    free(words);
    return wb_buf_steal(&out);
}

/* ---- words and bundle ------------------------------------------------------------------------ */

char *wb_stage_text(const wb_stage *s) {
    wb_table *table = wb_table_new();
    char text[200];
    double most = lay_out(s).most;
    wb_table_column(table, s->title, false);
    wb_table_column(table, "", true);
    wb_table_column(table, "", false);
    for (size_t i = 0; i < s->n_bars; i++) {
        const wb_stage_bar *bar = &s->bars[i];
        wb_table_row(table, false);
        wb_table_cell(table, "%s", bar->name);
        wb_table_cell(table, "%s", value_words(s, bar, text, sizeof text));
        wb_table_bar(table, bar->yours ? WB_GREEN : WB_BLUE, most > 0 ? bar->value / most : 0);
        wb_table_cell(table, "%s", changed(bar) ? change_words(bar, text, sizeof text) : "");
    }
    if (s->reference && s->reference_value > 0) {
        wb_table_row(table, true);
        wb_table_cell(table, "%s", reference_words(s, text, sizeof text));
    }
    char *rows = wb_table_text(table);
    char *all = wb_format("%s%s%s", rows ? rows : "", s->words ? s->words : "",
                          s->words && *s->words ? "\n" : "");
    wb_table_free(table);
    free(rows);
    return all;
}

/* For those who don't see it: bars in one line of words. */
static char *alternative(const wb_stage *s) {
    wb_buf out = {0};
    char text[200];
    wb_buf_printf(&out, "%s:", s->title);
    for (size_t i = 0; i < s->n_bars; i++) {
        const wb_stage_bar *bar = &s->bars[i];
        wb_buf_printf(&out, " %s %s", bar->name, value_words(s, bar, text, sizeof text));
        if (changed(bar))
            wb_buf_printf(&out, ", %s", change_words(bar, text, sizeof text));
        wb_buf_puts(&out, ";");
    }
    if (s->reference && s->reference_value > 0)
        wb_buf_printf(&out, " the line is %s", reference_words(s, text, sizeof text));
    return wb_buf_steal(&out);
}

json_t *wb_stage_bundle(const wb_stage *s) {
    char *svg = wb_stage_svg(s), *text = wb_stage_text(s), *words = alternative(s);
    char *markdown = svg && words ? wb_chart_markdown(svg, words) : NULL;
    json_t *bundle = json_object();
    if (svg)
        json_object_set_new(bundle, "image/svg+xml", json_string(svg));
    if (markdown)
        json_object_set_new(bundle, "text/markdown", json_string(markdown));
    json_object_set_new(bundle, "text/plain", json_string(text ? text : ""));
    free(svg);
    free(text);
    free(words);
    free(markdown);
    return bundle;
}
