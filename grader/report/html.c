/* html.c: a self-contained page for students. */
#include "grader/report/report.h"
#include "runtime/base/scoped.h"
#include "runtime/canvas/canvas.h"

static const char STYLE[] =
    ":root{color-scheme:light dark}\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:@ink;background:@card}\n"
    "h2{margin-bottom:.2rem}table{border-collapse:collapse;width:100%}\n"
    "td,th{padding:.4rem .6rem;border-bottom:1px solid @edge;text-align:left;"
    "vertical-align:top}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    ".why{color:@quiet;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".passed{color:@good}.partial{color:@fair}.failed,.error{color:@bad}\n"
    ".bar{height:.6rem;margin:.45rem 0;background:@edge;border-radius:.3rem}"
    ".bar div{height:100%;background:@good;border-radius:.3rem}\n"
    "svg{width:100%;max-width:40rem}svg text{font-size:13px;fill:@ink}.used{fill:@used}\n"
    "pre{background:@ground;padding:.8rem;overflow:auto;tab-size:4}a{color:@link}\n"
    "blockquote{margin:1rem 0;padding:.2rem 1rem;border-left:.3rem solid @link}\n"
    ".wide{overflow-x:auto}.wide .why{min-width:16rem}.wide .bar{min-width:5rem}"
    ".said{white-space:pre-wrap}.when{white-space:nowrap}\n"
    /* on a phone, a reason is below its test */
    "@media(max-width:36rem){.tests tr{display:grid;grid-template-columns:1fr auto}"
    ".tests .why{grid-column:1/3}.tests td:not(.why){border:0;padding-bottom:0}}\n"
    "@media print{body{margin:0}details{display:block}}\n";

void gr_html_begin(wb_buf *out, const char *title) {
    wb_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     /* even if markup slipped through, it could load and run nothing */
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\">\n");
    wb_buf_markupf(out, "<title>%s</title>\n", title);
    draw_style(out, STYLE);
    wb_buf_markupf(out, "</head><body>\n<h1>%s</h1>\n", title);
}

void gr_html_bar(wb_buf *out, double part) {
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    wb_buf_printf(out, "<div class=\"bar\"><div style=\"width:%.1f%%\"></div></div>\n", 100 * part);
}

static void add_row(wb_buf *out, const gr_item *item) {
    wb_buf_markupf(out, "<tr><td class=\"%s\">%s", gr_status_names[item->status],
                   wb_tr(item->name));
    wb_buf_puts(out, item->hidden ? " <small>(hidden)</small>" : "");
    wb_buf_markupf(out, "</td><td class=\"n\">%.4g / %.4g</td><td class=\"why\">%s</td></tr>\n",
                   item->score, item->max, *item->output ? item->output : item->about);
}

static void add_summary(const gr_report *reports, size_t n, wb_buf *out) {
    wb_buf_puts(out, "<table><tr><th>submission</th><th>score</th><th>status</th></tr>\n");
    for (size_t i = 0; i < n; i++)
        wb_buf_markupf(out,
                       "<tr><td><a href=\"#s%zu\">%s</a></td><td class=\"n\">%.4g / %.4g</td>"
                       "<td class=\"%s\">%s</td></tr>\n",
                       i, reports[i].submission, reports[i].score, reports[i].max_score,
                       gr_status_names[reports[i].status], gr_status_names[reports[i].status]);
    wb_buf_puts(out, "</table>\n");
}

static void add_report(const gr_report *r, size_t number, wb_buf *out) {
    wb_buf_markupf(out, "<h2 id=\"s%zu\">%s</h2>\n<p>%s%s%s", number, r->submission,
                   wb_tr(r->title), _(", on "), r->device);
    wb_buf_printf(out, _(", seed 0x%016llx. <b class=\"%s\">%.4g of %.4g points</b>%s</p>\n"),
                  (unsigned long long)r->seed, gr_status_names[r->status], r->score, r->max_score,
                  r->sandboxed ? "" : _(" <b>Graded without a sandbox.</b>"));
    gr_html_bar(out, r->max_score > 0 ? r->score / r->max_score : 0);
    gr_html_tests(out, r);
}

void gr_html_tests(wb_buf *out, const gr_report *r) {
    if (*r->message)
        wb_buf_markupf(out, "<pre>%s</pre>\n", r->message);
    wb_buf_puts(out, "<table class=\"tests\">\n");
    for (size_t i = 0; i < r->n_items; i++)
        add_row(out, &r->items[i]);
    wb_buf_puts(out, "</table>\n");
    if (*r->printed)
        wb_buf_markupf(out, "<p>It printed:</p><pre>%s</pre>\n", r->printed);
}

void gr_html_lines(wb_buf *out, const char *text, int from, int to) {
    wb_buf_puts(out, "<pre>");
    for (int line = 1; *text && line <= to; line++) {
        size_t n = strcspn(text, "\n");
        WB_SCOPED char *one = line >= from ? strndup(text, n) : NULL;
        if (one)
            wb_buf_markupf(out, "%4d  %s\n", line, one);
        text += n + (text[n] == '\n');
    }
    wb_buf_puts(out, "</pre>");
}

void gr_write_html(const gr_report *reports, size_t n, wb_buf *out) {
    gr_html_begin(out, "Warpbook grades");
    if (n > 1)
        add_summary(reports, n, out);
    for (size_t i = 0; i < n; i++)
        add_report(&reports[i], i, out);
    wb_buf_puts(out, GR_HTML_END);
}
