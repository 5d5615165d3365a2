/* text.c: the result as a table for a terminal or a cell. */
#include "grader/report/report.h"
#include "runtime/base/language.h"
#include "runtime/base/scoped.h"

#include <math.h>

enum { WIDTH = 96, NAME = 34, INDENT = 6 };

/* Appends text in wrapped and indented lines. */
static void add_wrapped(wb_buf *out, const char *text) {
    while (*text) {
        size_t line = wb_utf8_line(text, WIDTH - INDENT);
        wb_buf_printf(out, "%*s%.*s\n", INDENT, "", (int)line, text);
        text += line;
        text += *text == ' ' || *text == '\n';
    }
}

static void add_padded(wb_buf *out, const char *text, size_t width) {
    size_t n = wb_utf8_width(text, strlen(text));
    wb_buf_puts(out, text);
    for (; n < width; n++)
        wb_buf_putc(out, ' ');
}

static void add_item(wb_buf *out, const gr_item *item) {
    wb_buf_printf(out, "  %s ",
                  item->status == GR_FAILED   ? "✗"
                  : item->status == GR_PASSED ? "✓"
                                              : "~");
    add_padded(out, wb_tr(item->name), NAME);
    wb_buf_printf(out, "%6.4g / %-4.4g %s\n", item->score, item->max,
                  item->hidden ? _("(hidden)") : "");
    add_wrapped(out, item->output);
}

/* Returns true if the submission did not reach a test, so its message says everything. */
static bool nothing_ran(const gr_report *r) {
    for (size_t i = 0; i < r->n_items; i++)
        if (r->items[i].score > 0 || *r->items[i].output)
            return false;
    return *r->message != '\0';
}

static void add_section(const gr_report *r, bool performance, wb_buf *out) {
    wb_buf_puts(out, performance ? _("\n  Performance\n") : _("\n  Correctness\n"));
    for (size_t i = 0; i < r->n_items; i++)
        if (r->items[i].performance == performance)
            add_item(out, &r->items[i]);
}

static void add_report(const gr_report *r, wb_buf *out) {
    wb_buf_printf(out, "%s: %s\n", r->lab, wb_tr(r->title));
    wb_buf_printf(out, _("%s on %s%s\n"), r->submission, r->device,
                  r->gpu ? "" : _(" (exact counts, modelled times)"));
    if (!r->sandboxed)
        wb_buf_puts(out, _("  ! graded WITHOUT a sandbox (--unsafe-no-sandbox)\n"));
    if (*r->message) {
        wb_buf_putc(out, '\n');
        add_wrapped(out, r->message);
    }
    if (nothing_ran(r)) {
        wb_buf_puts(out, _("\n  No test was run.\n"));
    } else if (r->n_items) {
        add_section(r, false, out);
        add_section(r, true, out);
    }
    if (*r->printed) {
        wb_buf_puts(out, _("\n  The submission printed\n"));
        add_wrapped(out, r->printed);
    }
    wb_buf_printf(out, _("\n  Score %.4g of %.4g (%s), seed 0x%016llx, %.1f s\n"), r->score,
                  r->max_score, wb_tr(gr_status_names[r->status]), (unsigned long long)r->seed,
                  r->seconds);
}

void gr_write_table(const gr_report *reports, size_t n, wb_buf *out) {
    for (size_t i = 0; i < n; i++) {
        if (i)
            wb_buf_puts(out, "\n----\n\n");
        add_report(&reports[i], out);
    }
    if (n < 2)
        return;
    wb_buf_puts(out, "\n----\n\n");
    gr_write_summary(reports, n, out);
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Names the submissions that took far longer than half of them. */
static void write_slow(const gr_report *reports, size_t n, wb_buf *out) {
    enum { LONG_S = 10, TIMES = 4 };
    WB_SCOPED double *times = calloc(n + 1, sizeof *times);
    for (size_t i = 0; times && i < n; i++)
        times[i] = reports[i].seconds;
    if (times)
        qsort(times, n, sizeof *times, by_time);
    double half = times ? times[n / 2] : INFINITY;
    for (size_t i = 0; i < n; i++)
        if (reports[i].seconds > LONG_S && reports[i].seconds > TIMES * half)
            wb_buf_printf(out, _("%s took unusually long: %.0f s. Half take at most %.1f s.\n"),
                          reports[i].submission, reports[i].seconds, half);
}

void gr_write_summary(const gr_report *reports, size_t n, wb_buf *out) {
    for (size_t i = 0; i < n; i++)
        wb_buf_printf(out, "%8.4g / %-6.4g %-8s %s\n", reports[i].score, reports[i].max_score,
                      gr_status_names[reports[i].status], reports[i].submission);
    write_slow(reports, n, out);
}
