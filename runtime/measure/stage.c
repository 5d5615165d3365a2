/* stage.c: see stage.h. The picture is drawn at the canvas's size and enlarged. Its smallest
 * letters are a thirtieth of a projector's height. */
#include "runtime/measure/stage.h"

#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/canvas/canvas.h"
#include "runtime/measure/stats.h"
#include "runtime/measure/table.h"

enum {
    WIDTH = 444,
    PAD = 10,
    TOP = 44,     /* top of the first bar, below the title and the reference's name */
    ROW = 31,     /* a bar and what is below it */
    BAR = 18,     /* its height */
    VALUES = 112, /* room for values, at the right */
    NAMES = 156,  /* the most room for names, at the left */
    FOOT = 20,
};
static const double SCALE = 3.6;
static const double CHANGED = 0.01; /* smaller changes are invisible */

/* ---- text of a bar --------------------------------------------------------------------------- */

static bool changed(const wb_stage_bar *bar) {
    return bar->value > 0 && bar->before > 0 && fabs(bar->value / bar->before - 1) >= CHANGED;
}

/* Writes "▲ 2.1× the last run". */
static const char *change_words(const wb_stage_bar *bar, char *text, size_t size) {
    double ratio = bar->value / bar->before;
    snprintf(text, size, _("%s %.*f× the last run"), ratio > 1 ? "▲" : "▼", ratio < 10 ? 2 : 0,
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
    double left, plot; /* where bars begin; the longest bar's length */
    double most;       /* the value of the longest bar */
} layout;

static layout lay_out(const wb_stage *s) {
    layout l = {.most = s->reference ? s->reference_value : 0};
    double names = 0;
    for (size_t i = 0; i < s->n_bars; i++) {
        names = fmax(names, 1.06 * draw_width(s->bars[i].name));
        l.most = fmax(l.most, fmax(s->bars[i].value, s->bars[i].before));
    }
    l.left = PAD + fmin(names, NAMES) + 6;
    l.plot = WIDTH - VALUES - PAD - l.left;
    return l;
}

static double x_of(const layout *l, double value) {
    return l->left + (l->most > 0 ? l->plot * value / l->most : 0);
}

/* Draws an arrow below the bar, from its end at the last run to its end now. */
static void put_arrow(wb_buf *out, const layout *l, const wb_stage_bar *bar, double top) {
    double from = x_of(l, bar->before), to = x_of(l, bar->value), y = top + BAR + 6;
    double head = to > from ? -5 : 5;
    if (fabs(to - from) < 7) /* there is room for the text only */
        return;
    wb_buf_printf(out, "<path class=\"arrow\" d=\"M%.1f %.1fH%.1fm%.0f -4l%.0f 4l%.0f 4\"/>\n",
                  from, y, to, head, -head, head);
}

static void put_bar(wb_buf *out, const wb_stage *s, const layout *l, size_t i) {
    const wb_stage_bar *bar = &s->bars[i];
    double top = TOP + ROW * (double)i;
    char text[200], *name = draw_cut(bar->name, NAMES * 1.12);
    draw_text(out, bar->yours ? "head" : "", "end", l->left - 6, top + 13, name);
    free(name);
    if (bar->value > 0)
        draw_rect(out, bar->yours ? "yours" : "kernel", l->left, top,
                  fmax(x_of(l, bar->value) - l->left, 1.4), BAR);
    bool arrow = changed(bar);
    if (arrow || (bar->before > 0 && bar->value == 0))
        draw_rect(out, "before", l->left, top, fmax(x_of(l, bar->before) - l->left, 0.5), BAR);
    if (arrow)
        put_arrow(out, l, bar, top);
    draw_text(out, bar->value > 0 ? "title" : "quiet", "end", WIDTH - PAD, top + (arrow ? 11 : 14),
              value_words(s, bar, text, sizeof text));
    if (arrow)
        draw_text(out, "n", "end", WIDTH - PAD, top + 24, change_words(bar, text, sizeof text));
}

/* Draws the reference as a line behind all bars. Its name is above it, within the picture. */
static void put_reference(wb_buf *out, const wb_stage *s, const layout *l) {
    double x = x_of(l, s->reference_value), bottom = TOP + ROW * (double)s->n_bars - 8;
    char text[200];
    double half = draw_width(reference_words(s, text, sizeof text)) / 2;
    const char *anchor = x - half < PAD ? "start" : x + half > WIDTH - PAD ? "end" : "middle";
    draw_text(out, "ref", anchor, x, TOP - 9, text);
    draw_line(out, "refline", x, TOP - 6, x, bottom);
}

char *wb_stage_svg(const wb_stage *s) {
    layout l = lay_out(s);
    wb_buf out = {0};
    int height = TOP + ROW * (int)s->n_bars + FOOT;
    WB_SCOPED char *words = wb_stage_text(s);
    draw_text(&out, "n quiet", "start", PAD, PAD + 9, s->title);
    for (size_t i = 0; i < s->n_bars; i++)
        put_bar(&out, s, &l, i);
    if (s->reference && s->reference_value > 0)
        put_reference(&out, s, &l);
    draw_text(&out, "n quiet", "start", PAD, height - PAD, s->words);
    return draw_card(&out, WIDTH, height, SCALE, words, "%s", s->title);
}

/* ---- text and bundle ------------------------------------------------------------------------- */

char *wb_stage_text(const wb_stage *s) {
    wb_table *table = wb_table_new();
    char text[200];
    double most = lay_out(s).most;
    wb_table_columns(table, "lrl", s->title, "", "");
    for (size_t i = 0; i < s->n_bars; i++) {
        const wb_stage_bar *bar = &s->bars[i];
        wb_table_row(table, false);
        wb_table_texts(table, bar->name, value_words(s, bar, text, sizeof text));
        wb_table_bar(table, bar->yours ? WB_GREEN : WB_BLUE, most > 0 ? bar->value / most : 0);
        wb_table_cell(table, "%s", changed(bar) ? change_words(bar, text, sizeof text) : "");
    }
    if (s->reference && s->reference_value > 0) {
        wb_table_row(table, true);
        wb_table_cell(table, "%s", reference_words(s, text, sizeof text));
    }
    WB_SCOPED char *rows = wb_table_text(table);
    char *all = wb_format("%s%s%s", rows ? rows : "", s->words ? s->words : "",
                          s->words && *s->words ? "\n" : "");
    wb_table_free(table);
    return all;
}

/* Returns the bars in one line of words, for readers who do not see the picture. */
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
        wb_buf_printf(&out, _(" the line is %s"), reference_words(s, text, sizeof text));
    return wb_buf_steal(&out);
}

json_t *wb_stage_bundle(const wb_stage *s) {
    char *svg = wb_stage_svg(s), *words = alternative(s);
    wb_buf markdown = {0};
    draw_img(&markdown, svg, words, 0);
    free(words);
    return draw_bundle(svg, wb_buf_steal(&markdown), wb_stage_text(s));
}
