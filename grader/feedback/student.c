/* student.c: writes a student's feedback: the points and how they arose, the reasons for missing
 * points, and the graded text with line numbers. */
#include "grader/feedback/student.h"
#include "runtime/base/scoped.h"

#include <limits.h>
#include <math.h>

static bool says_something(const gr_standing *is) {
    return is->submission || is->overridden || is->comment;
}

bool gr_student_has(const gr_view *views, size_t n, size_t student) {
    for (size_t v = 0; v < n; v++)
        if (says_something(gr_view_standing(&views[v], student)))
            return true;
    return false;
}

static bool has_points(const gr_standing *is) {
    return is->report || is->overridden;
}

/* Return the points ("87.5 of 100 points"), and sentences about how they arose. malloc'd. */
static char *points_text(const gr_standing *is, const gr_book_lab *lab) {
    return has_points(is) ? wb_format(_("%.4g of %.4g points"), is->points, lab->max_score)
                          : strdup("Not graded yet.");
}

/* Adds the student's rank among those who have points. */
static void add_rank(const gr_view *view, const gr_standing *is, wb_buf *out) {
    size_t better = 0, worse = 0, all = 0;
    for (size_t s = 0; s < view->class->n_students; s++) {
        const gr_standing *other = gr_view_standing(view, s);
        all += has_points(other);
        better += has_points(other) && other->points > is->points;
        worse += has_points(other) && other->points < is->points;
    }
    wb_buf_printf(out, _("Rank %zu of %zu: more points than %.0f %% of the class. "), better + 1,
                  all, 100 * (double)worse / (double)all);
}

/* Adds the tests whose points changed when the same submission was graded again. */
static void add_changes(const gr_report *now, const char *before, wb_buf *out) {
    gr_report old;
    bool ok = gr_report_load(before, &old, &(wb_error){0});
    if (ok)
        wb_buf_printf(out, _("It was graded again, and earned %.4g points before. "), old.score);
    for (size_t i = 0; ok && i < now->n_items; i++) {
        const gr_item *item = &now->items[i], *was = gr_view_item(&old, item->name);
        if (was && fabs(was->score - item->score) >= 0.0005)
            wb_buf_printf(out, _("%s: %.4g before, now %.4g. "), wb_tr(item->name), was->score,
                          item->score);
    }
    gr_report_free(&old);
}

static char *story(const gr_view *view, size_t student) {
    wb_buf b = {0};
    const gr_standing *is = gr_view_standing(view, student);
    char time[GR_TIME_TEXT];
    if (!is->submission)
        wb_buf_puts(&b, _("Nothing was handed in. "));
    else
        wb_buf_printf(&b, _("Handed in %s%s. "), gr_time_text(is->at, time),
                      is->n_submissions > 1 ? _(" (of several, this one counts)") : "");
    if (is->extension)
        wb_buf_printf(&b, _("The time was extended by %lld day%s. "), (long long)is->extension,
                      is->extension == 1 ? "" : "s");
    if (is->report && (is->late || is->overridden))
        wb_buf_printf(&b, _("It earned %.4g points. "), is->earned);
    if (is->late)
        wb_buf_printf(&b, _("It was %lld day%s late, of which %lld cost nothing. "),
                      (long long)is->late, is->late == 1 ? "" : "s", (long long)is->free);
    if (is->overridden)
        wb_buf_puts(&b, _("The points that count were set by the teacher. "));
    if (is->before && gr_view_report(view, student))
        add_changes(gr_view_report(view, student), is->before, &b);
    if (view->class->ranks && has_points(is))
        add_rank(view, is, &b);
    return wb_buf_steal(&b);
}

static const gr_student *who_is(const gr_view *view, size_t student) {
    return &view->class->students[student];
}

/* ---- HTML ----------------------------------------------------------------------------------- */

static void add_lab(const gr_view *view, size_t student, const char *source, wb_buf *out) {
    const gr_standing *is = gr_view_standing(view, student);
    const gr_report *report = gr_view_report(view, student);
    const gr_book_lab *lab = &view->class->labs[view->lab];
    WB_SCOPED char *points = points_text(is, lab), *told = story(view, student);
    wb_buf_markupf(out, "<h2>%s</h2>\n<p><b>%s</b></p>\n", wb_tr(lab->title), points);
    if (has_points(is))
        gr_html_bar(out, lab->max_score > 0 ? is->points / lab->max_score : 0);
    wb_buf_markupf(out, "<p>%s</p>\n", told);
    if (is->comment)
        wb_buf_markupf(out, "<blockquote><p class=\"said\">%s</p></blockquote>\n", is->comment);
    if (report) {
        wb_buf_puts(out, "<div class=\"wide\">");
        gr_html_tests(out, report);
        wb_buf_markupf(out, "</div>\n<p class=\"why\">Graded on %s", report->device);
        wb_buf_printf(out, _(", seed 0x%016llx.</p>\n"), (unsigned long long)report->seed);
    }
    if (source) {
        wb_buf_puts(out, "<details><summary>What was graded</summary>\n");
        gr_html_lines(out, source, 1, INT_MAX);
        wb_buf_puts(out, "</details>\n");
    }
}

void gr_student_html(const gr_view *views, size_t n, size_t student, const char *const *sources,
                     wb_buf *out) {
    const gr_student *who = who_is(&views[0], student);
    WB_SCOPED char *title = wb_format("%s%s%s", *who->name ? who->name : who->id,
                                      *who->name ? ", " : "", *who->name ? who->id : "");
    gr_html_begin(out, title ? title : "");
    for (size_t v = 0; v < n; v++)
        if (says_something(gr_view_standing(&views[v], student)))
            add_lab(&views[v], student, sources[v], out);
    wb_buf_puts(out, GR_HTML_END);
}

/* ---- Markdown ------------------------------------------------------------------------------- */

/* Returns true if a character would be markup here. Some characters are markup only at the start of
 * a line, and "www." can become a link. */
static bool is_markup(const char *text, const char *line) {
    if (strchr("\\`*_{}[]<>#|~$!&:@", *text))
        return true;
    if (text == line && strchr("+-=", *text))
        return true;
    bool number = *text == '.' || *text == ')';
    for (const char *p = line; number && p < text; p++)
        number = *p >= '0' && *p <= '9';
    return (number && text > line) ||
           (*text == '.' && text - line >= 3 && strncasecmp(text - 3, "www", 3) == 0);
}

/* Adds text that CommonMark (and GitHub) shows unchanged. Each line begins with `indent`. */
static void add_plain(wb_buf *out, const char *text, const char *indent) {
    const char *line = text + strspn(text, " \t");
    for (wb_buf_puts(out, indent); *text; text++) {
        if (*text == '\n') {
            wb_buf_printf(out, "\\\n%s", indent); /* a hard line break */
            line = text + 1 + strspn(text + 1, " \t");
            continue;
        }
        if (is_markup(text, line))
            wb_buf_putc(out, '\\');
        wb_buf_putc(out, *text);
    }
}

/* Adds a code block whose fence is longer than any in the text, so that the text cannot end it. */
static void add_fenced(wb_buf *out, const char *text, const char *language) {
    size_t longest = 2, run = 0;
    for (const char *p = text; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        wb_buf_putc(out, '`');
    wb_buf_printf(out, "%s\n%s%s", language, text,
                  *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
    for (size_t i = 0; i <= longest; i++)
        wb_buf_putc(out, '`');
    wb_buf_puts(out, "\n\n");
}

static void add_items(const gr_report *report, wb_buf *out) {
    for (size_t i = 0; i < report->n_items; i++) {
        const gr_item *item = &report->items[i];
        wb_buf_puts(out, "- **");
        add_plain(out, wb_tr(item->name), "");
        wb_buf_printf(out, _("**: %.4g of %.4g points%s\n"), item->score, item->max,
                      item->hidden ? _(" (hidden)") : "");
        if (*item->output) {
            wb_buf_puts(out, "\n");
            add_plain(out, item->output, "  > ");
            wb_buf_puts(out, "\n\n");
        }
    }
    wb_buf_puts(out, "\n");
}

static void add_lab_plain(const gr_view *view, size_t student, const char *source, wb_buf *out) {
    const gr_standing *is = gr_view_standing(view, student);
    const gr_report *report = gr_view_report(view, student);
    const gr_book_lab *lab = &view->class->labs[view->lab];
    WB_SCOPED char *points = points_text(is, lab), *told = story(view, student);
    wb_buf_puts(out, "## ");
    add_plain(out, wb_tr(lab->title), "");
    wb_buf_printf(out, "\n\n**%s**\n\n%s\n\n", points ? points : "", told ? told : "");
    if (is->comment) {
        add_plain(out, is->comment, "> ");
        wb_buf_puts(out, "\n\n");
    }
    if (report && *report->message)
        add_fenced(out, report->message, "text");
    if (report)
        add_items(report, out);
    if (report && *report->printed) {
        wb_buf_puts(out, _("It printed:\n\n"));
        add_fenced(out, report->printed, "text");
    }
    if (report)
        wb_buf_printf(out, _("Graded on %s, seed 0x%016llx.\n\n"), report->device,
                      (unsigned long long)report->seed);
    if (source) {
        wb_buf_puts(out, _("What was graded:\n\n"));
        add_fenced(out, source, "cuda");
    }
}

void gr_student_markdown(const gr_view *views, size_t n, size_t student, const char *const *sources,
                         wb_buf *out) {
    const gr_student *who = who_is(&views[0], student);
    wb_buf_puts(out, "# ");
    add_plain(out, *who->name ? who->name : who->id, "");
    wb_buf_puts(out, "\n\n");
    for (size_t v = 0; v < n; v++)
        if (says_something(gr_view_standing(&views[v], student)))
            add_lab_plain(&views[v], student, sources[v], out);
}
