/* teacher.c: a lab's page for the teacher. */
#include "grader/feedback/teacher.h"
#include "runtime/base/scoped.h"
#include "runtime/canvas/canvas.h"
#include "grader/feedback/mistakes.h"
#include "runtime/measure/stats.h"

#include <math.h>

enum { BINS = 10, SHOWN_MISTAKES = 15, SHOWN_NAMES = 8, SHOWN_LINES = 60 };
/* When a submission is unusual. A smaller class has no usual time, and short kernels are alike. */
enum { LEAST_CLASS = 5, DAY_S = 86400, UNEVEN = 3, LEAST_SHARED = 20 };
#define COPIED 0.8

/* Adds a link to a student's page. An id can be a path, but may need escapes in a URL. */
static void add_link(wb_buf *out, const gr_student *student) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    wb_buf_puts(out, "<a href=\"students/");
    for (const char *p = student->id; *p; p++)
        wb_buf_printf(out, strchr(plain, *p) ? "%c" : "%%%02X", (unsigned char)*p);
    wb_buf_markupf(out, ".html\">%s</a>", student->id);
}

/* ---- distribution --------------------------------------------------------------------------- */

/* Collects the students' points. Returns their number. */
static size_t points_of(const gr_view *view, double *points) {
    size_t n = 0;
    for (size_t s = 0; s < view->class->n_students; s++) {
        const gr_standing *is = gr_view_standing(view, s);
        if (is->report || is->overridden)
            points[n++] = is->points;
    }
    return n;
}

/* Draws a histogram in SVG with the counts above the bars. */
static void add_histogram(const double *points, size_t n, double max, wb_buf *out) {
    size_t bins[BINS] = {0}, most = 1;
    for (size_t i = 0; i < n; i++) {
        double part = max > 0 ? points[i] / max * BINS : 0;
        size_t bin = part < 0 ? 0 : part >= BINS ? BINS - 1 : (size_t)part;
        bins[bin]++;
        most = bins[bin] > most ? bins[bin] : most;
    }
    wb_buf_puts(out, "<svg viewBox=\"0 0 600 210\" role=\"img\">"
                     "<title>How many have how many points</title>\n");
    for (size_t b = 0; b < BINS; b++) {
        double height = 150.0 * (double)bins[b] / (double)most, x = 60.0 * (double)b;
        draw_rect(out, "used", x + 4, 180 - height, 52, height);
        draw_textf(out, "", "middle", x + 30, 174 - height, "%zu", bins[b]);
        draw_textf(out, "", "middle", x + 30, 200, "%.4g–%.4g", max * (double)b / BINS,
                   max * (double)(b + 1) / BINS);
    }
    wb_buf_puts(out, "</svg>\n");
}

static bool add_distribution(const gr_view *view, wb_buf *out) {
    const gr_class *class = view->class;
    double max = class->labs[view->lab].max_score, sum = 0;
    WB_SCOPED double *points = calloc(class->n_students + 1, sizeof *points);
    size_t handed_in = 0, n = points ? points_of(view, points) : 0;
    for (size_t s = 0; s < class->n_students; s++)
        handed_in += gr_view_standing(view, s)->submission != 0;
    for (size_t i = 0; i < n; i++)
        sum += points[i];
    wb_buf_printf(out, _("<p>%zu students, %zu of them handed in, %zu have points."),
                  class->n_students, handed_in, n);
    wb_summary of = wb_stats_summary(points, n);
    if (n)
        wb_buf_printf(out,
                      _(" Of %.4g points the mean is <b>%.1f</b>, the median <b>%.1f</b>; half of "
                        "the class lies between %.1f and %.1f.</p>\n"),
                      max, sum / (double)n, of.median, of.q1, of.q3);
    else
        wb_buf_puts(out, "</p>\n");
    if (n)
        add_histogram(points, n, max, out);
    return points != NULL;
}

/* ---- tests, mistakes ------------------------------------------------------------------------ */

static void add_tests(const gr_view *view, wb_buf *out) {
    wb_buf_puts(
        out,
        "<h2>Tests</h2>\n<div class=\"wide\"><table><tr><th>test</th><th class=\"n\">points</th>"
        "<th class=\"n\">all</th><th class=\"n\">some</th><th class=\"n\">none</th>"
        "<th>on average</th></tr>\n");
    for (size_t t = 0; t < view->n_tests; t++) {
        const gr_view_test *test = &view->tests[t];
        size_t counts[3] = {0};
        double sum = 0;
        for (size_t s = 0; s < view->class->n_students; s++) {
            const gr_item *item = gr_view_item(gr_view_report(view, s), test->name);
            if (!item)
                continue;
            counts[item->score >= item->max - 1e-9 ? 0 : item->score > 1e-9 ? 1 : 2]++;
            sum += item->max > 0 ? item->score / item->max : 0;
        }
        size_t n = counts[0] + counts[1] + counts[2];
        wb_buf_markupf(out,
                       "<tr><td>%s</td><td class=\"n\">%.4g</td><td class=\"n\">%zu</td>"
                       "<td class=\"n\">%zu</td><td class=\"n\">%zu</td><td>",
                       test->name, test->max, counts[0], counts[1], counts[2]);
        gr_html_bar(out, n ? sum / (double)n : 0);
        wb_buf_puts(out, "</td></tr>\n");
    }
    wb_buf_puts(out, "</table></div>\n");
}

static void add_mistake(const gr_view *view, const gr_mistake *m, wb_buf *out) {
    const char *text = wb_field_text(m->finding, "text");
    wb_buf_markupf(
        out, "<tr><td class=\"n\">%zu</td><td>%s</td><td>%s</td><td class=\"why\">%s</td><td>",
        m->n, *m->test ? m->test : "(the whole)", wb_finding_words(wb_finding_of(m->finding)),
        text);
    for (size_t i = 0; i < m->n && i < SHOWN_NAMES; i++) {
        wb_buf_puts(out, i ? ", " : "");
        add_link(out, &view->class->students[m->students[i]]);
    }
    if (m->n > SHOWN_NAMES)
        wb_buf_printf(out, _(" and %zu more"), m->n - SHOWN_NAMES);
    wb_buf_puts(out, "</td></tr>\n");
}

static bool add_mistakes(const gr_view *view, wb_buf *out) {
    gr_mistakes mistakes;
    bool ok = gr_mistakes_find(view, &mistakes);
    wb_buf_puts(out, "<h2>Commonest mistakes</h2>\n");
    if (mistakes.n == 0)
        wb_buf_puts(out, "<p>No points are missing.</p>\n");
    else
        wb_buf_puts(out, "<p>Reasons for missing points, each with one student's numbers.</p><div "
                         "class=\"wide\"><table><tr><th class=\"n\">who</th><th>test</th><th>what "
                         "was found</th><th>for example</th><th></th></tr>\n");
    for (size_t i = 0; i < mistakes.n && i < SHOWN_MISTAKES; i++)
        add_mistake(view, &mistakes.list[i], out);
    if (mistakes.n)
        wb_buf_puts(out, "</table></div>\n");
    gr_mistakes_free(&mistakes);
    return ok;
}

/* ---- similarity ----------------------------------------------------------------------------- */

static void add_pair(const gr_view *view, const char *const *sources, const gr_pair *pair,
                     wb_buf *out) {
    wb_buf_puts(out, "<details><summary>");
    for (int w = 0; w < 2; w++) {
        add_link(out, &view->class->students[pair->who[w]]);
        wb_buf_printf(out, _(" (%.0f %% of it)%s"), 100 * pair->part[w], w ? "" : _(" and "));
    }
    wb_buf_printf(out, _(": %zu fingerprints</summary>\n"), pair->shared);
    for (size_t i = 0; i < pair->n_passages; i++) {
        const gr_passage *p = &pair->passages[i];
        wb_buf_puts(out, "<table><tr>");
        for (int w = 0; w < 2; w++) {
            int end = p->from[w] + SHOWN_LINES - 1;
            wb_buf_markupf(out, "<td style=\"width:50%%\">%s",
                           view->class->students[pair->who[w]].id);
            wb_buf_printf(out, _(", lines %d to %d"), p->from[w], p->to[w]);
            gr_html_lines(out, sources[pair->who[w]], p->from[w], p->to[w] < end ? p->to[w] : end);
            wb_buf_puts(out, p->to[w] > end ? "...</td>" : "</td>");
        }
        wb_buf_puts(out, "</tr></table>\n");
    }
    wb_buf_puts(out, "</details>\n");
}

static void add_similar(const gr_view *view, const char *const *sources, const gr_similar *similar,
                        wb_buf *out) {
    wb_buf_printf(
        out,
        _("<h2>Similar submissions</h2>\n<p>Passages of %d and more tokens that two share, "
          "whatever "
          "the names, numbers, comments and blanks; the lab's starter does not count, nor what "
          "more "
          "than ten, and a tenth of the class, have. Short kernels that are right resemble each "
          "other: look before you judge.</p>\n"),
        GR_SURELY);
    if (similar->n == 0)
        wb_buf_puts(out, "<p>None.</p>\n");
    for (size_t i = 0; i < similar->n; i++)
        add_pair(view, sources, &similar->pairs[i], out);
}

/* ---- flags ---------------------------------------------------------------------------------- */

/* Returns the best speed relative to the reference, over the worst, of all cases. */
static double spread_of(const gr_report *report) {
    const json_t *cases = json_object_get(report ? report->measured : NULL, "cases");
    double least = INFINITY, most = 0;
    WB_JSON_EACH(one, cases) {
        double ratio = wb_field_number(one, "ratio");
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    return least > 0 && most > 0 ? most / least : 1;
}

static bool has_finding(const gr_report *report, wb_finding_kind kind) {
    for (size_t i = 0; report && i < report->n_items; i++)
        WB_JSON_EACH(finding, report->items[i].findings) {
            if (wb_finding_of(finding) == kind)
                return true;
        }
    return false;
}

/* Returns the time until which three quarters of the submissions were handed in. */
static double most_handed_in(const gr_view *view) {
    size_t n = 0;
    WB_SCOPED double *times = calloc(view->class->n_students + 1, sizeof *times);
    for (size_t s = 0; times && s < view->class->n_students; s++)
        if (gr_view_standing(view, s)->submission)
            times[n++] = (double)gr_view_standing(view, s)->at;
    return n >= LEAST_CLASS ? wb_stats_summary(times, n).q3 : INFINITY;
}

/* Adds what is unusual about a submission, in sentences. */
static void add_reasons(const gr_view *view, size_t student, const gr_similar *similar, double late,
                        wb_buf *out) {
    const gr_standing *is = gr_view_standing(view, student);
    const gr_report *report = gr_view_report(view, student);
    if (has_finding(report, WB_FOUND_IMPOSSIBLE_TIME))
        wb_buf_puts(out, _("Its time is below what the GPU's peak allows. "));
    if (spread_of(report) >= UNEVEN)
        wb_buf_printf(
            out,
            _("Its speed relative to the reference differs by a factor of %.3g between sizes. "),
            spread_of(report));
    for (size_t i = 0; i < similar->n; i++) {
        const gr_pair *pair = &similar->pairs[i];
        for (int w = 0; w < 2; w++)
            if (pair->who[w] == student && pair->shared >= LEAST_SHARED &&
                fmin(pair->part[0], pair->part[1]) >= COPIED)
                wb_buf_printf(out, _("%.0f %% of it is also in the submission of %s. "),
                              100 * pair->part[w], view->class->students[pair->who[!w]].id);
    }
    if (report && is->n_submissions == 1 && (double)is->at > late + DAY_S &&
        is->earned >= view->class->labs[view->lab].max_score - 1e-9)
        wb_buf_puts(out, _("It has full marks at the first try, a day or more after three quarters "
                           "of the class. "));
}

static void add_flags(const gr_view *view, const gr_similar *similar, wb_buf *out) {
    double late = most_handed_in(view);
    bool any = false;
    wb_buf_puts(out, _("<h2>Look at these</h2>\n<p>None of this is a proof.</p>\n<ul>\n"));
    for (size_t s = 0; s < view->class->n_students; s++) {
        WB_SCOPED_BUF wb_buf why = {0};
        add_reasons(view, s, similar, late, &why);
        if (!why.len)
            continue;
        any = true;
        wb_buf_puts(out, "<li>");
        add_link(out, &view->class->students[s]);
        wb_buf_markupf(out, ": %s</li>\n", why.data);
    }
    wb_buf_puts(out, any ? "</ul>\n" : _("</ul>\n<p>None.</p>\n"));
}

/* ---- everybody ------------------------------------------------------------------------------ */

static void add_everybody(const gr_view *view, wb_buf *out) {
    char time[GR_TIME_TEXT];
    wb_buf_puts(out, "<h2>Everybody</h2>\n<div class=\"wide\"><table><tr><th>student</th><th>name"
                     "</th><th class=\"n\">points</th><th class=\"n\">earned</th><th>handed in</th>"
                     "<th class=\"n\">days late</th><th>comment</th></tr>\n");
    for (size_t s = 0; s < view->class->n_students; s++) {
        const gr_standing *is = gr_view_standing(view, s);
        const gr_student *student = &view->class->students[s];
        wb_buf_puts(out, "<tr><td>");
        if (is->submission || is->overridden || is->comment)
            add_link(out, student);
        else
            wb_buf_markup(out, student->id);
        wb_buf_markupf(out, "</td><td>%s", student->name);
        if (is->report || is->overridden)
            wb_buf_printf(out, "</td><td class=\"n\">%.4g%s</td><td class=\"n\">", is->points,
                          is->overridden ? " (set)" : "");
        else
            wb_buf_puts(out, "</td><td></td><td class=\"n\">");
        if (is->report)
            wb_buf_printf(out, "%.4g%s", is->earned, is->stale ? " (earlier lab)" : "");
        wb_buf_printf(out, "</td><td class=\"when\">%s</td><td class=\"n\">",
                      is->submission ? gr_time_text(is->at, time) : "");
        if (is->late)
            wb_buf_printf(out, "%lld%s", (long long)is->late, is->free ? " (some free)" : "");
        wb_buf_markupf(out, "</td><td>%s</td></tr>\n", is->comment);
    }
    wb_buf_puts(out, "</table></div>\n");
}

bool gr_teacher_html(const gr_view *view, const char *const *sources, const gr_similar *similar,
                     wb_buf *out) {
    const gr_book_lab *lab = &view->class->labs[view->lab];
    WB_SCOPED char *title = wb_format(_("%s: the class"), lab->title);
    gr_html_begin(out, title ? title : lab->name);
    bool ok = add_distribution(view, out);
    add_tests(view, out);
    ok = add_mistakes(view, out) && ok;
    add_flags(view, similar, out);
    add_similar(view, sources, similar, out);
    add_everybody(view, out);
    wb_buf_puts(out, GR_HTML_END);
    return ok && !out->failed;
}
