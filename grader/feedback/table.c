/* table.c: the class as CSV, as JSON, and for a terminal. */
#include "grader/feedback/view.h"
#include "runtime/base/scoped.h"
#include "runtime/json/json.h"
#include "runtime/measure/table.h"

/* ---- CSV ------------------------------------------------------------------------------------ */

static void add_title(wb_buf *out, const char *lab, const char *what) {
    WB_SCOPED char *title = wb_format("%s%s%s", lab, *what ? ": " : "", what);
    wb_buf_putc(out, ',');
    gr_csv_field(out, title ? title : "");
}

static void add_titles(const gr_view *view, wb_buf *out) {
    static const char *const more[] = {"", "of", "earned", "days late", "free days", "comment"};
    const char *lab = view->class->labs[view->lab].name;
    for (size_t i = 0; i < WB_COUNT(more); i++)
        add_title(out, lab, more[i]);
    for (size_t i = 0; i < view->n_tests; i++)
        add_title(out, lab, view->tests[i].name);
}

static void add_standing(const gr_view *view, size_t student, wb_buf *out) {
    const gr_standing *is = gr_view_standing(view, student);
    const gr_report *report = gr_view_report(view, student);
    if (is->report || is->overridden)
        wb_buf_printf(out, ",%.10g", gr_rounded(is->points));
    else
        wb_buf_putc(out, ','); /* empty, not 0: a result may still come */
    wb_buf_printf(out, ",%.10g", view->class->labs[view->lab].max_score);
    if (is->report)
        wb_buf_printf(out, ",%.10g,%lld,%lld,", gr_rounded(is->earned), (long long)is->late,
                      (long long)is->free);
    else
        wb_buf_puts(out, ",,,,");
    gr_csv_field(out, is->comment ? is->comment : "");
    for (size_t i = 0; i < view->n_tests; i++) {
        const gr_item *item = gr_view_item(report, view->tests[i].name);
        wb_buf_putc(out, ',');
        if (item)
            wb_buf_printf(out, "%.10g", gr_rounded(item->score));
    }
}

void gr_write_class_csv(const gr_view *views, size_t n, wb_buf *out) {
    wb_buf_puts(out, "student,name,email,section");
    for (size_t v = 0; v < n; v++)
        add_titles(&views[v], out);
    wb_buf_puts(out, "\r\n");
    const gr_class *class = n ? views[0].class : NULL;
    for (size_t s = 0; class && s < class->n_students; s++) {
        const gr_student *student = &class->students[s];
        const char *const fields[] = {student->id, student->name, student->email, student->section};
        for (size_t i = 0; i < WB_COUNT(fields); i++) {
            wb_buf_puts(out, i ? "," : "");
            gr_csv_field(out, fields[i]);
        }
        for (size_t v = 0; v < n; v++)
            add_standing(&views[v], s, out);
        wb_buf_puts(out, "\r\n");
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *standing_json(const gr_view *view, size_t student) {
    const gr_standing *is = gr_view_standing(view, student);
    const gr_report *report = gr_view_report(view, student);
    char time[GR_TIME_TEXT] = "";
    if (is->submission)
        gr_time_text(is->at, time);
    return wb_json_pack(
        "{s:s, s:I, s:s?, s:s, s:o, s:f, s:f, s:I, s:I, s:I, s:b, s:b, s:s?, s:s?, s:s?, s:s?, "
        "s:o?}",
        "lab", view->class->labs[view->lab].name, "submissions", (json_int_t)is->n_submissions,
        "path", is->path, "handed_in", time, "points",
        is->report || is->overridden ? json_real(gr_rounded(is->points)) : json_null(), "max_score",
        view->class->labs[view->lab].max_score, "earned", gr_rounded(is->earned), "days_late",
        (json_int_t)is->late, "free_days", (json_int_t)is->free, "extension",
        (json_int_t)is->extension, "overridden", is->overridden, "stale", is->stale, "comment",
        is->comment, "seed", is->seed, "device", is->device, "version", is->version, "result",
        report ? gr_report_json(report) : NULL);
}

json_t *gr_class_json(const gr_view *views, size_t n) {
    json_t *students = json_array();
    const gr_class *class = n ? views[0].class : NULL;
    for (size_t s = 0; class && s < class->n_students; s++) {
        const gr_student *student = &class->students[s];
        json_t *labs = json_array();
        for (size_t v = 0; v < n; v++)
            json_array_append_new(labs, standing_json(&views[v], s));
        json_array_append_new(students, wb_json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "student",
                                                     student->id, "name", student->name, "email",
                                                     student->email, "section", student->section,
                                                     "listed", student->listed, "labs", labs));
    }
    return wb_json_pack("{s:I, s:o}", "free_days", (json_int_t)(class ? class->free_days : 0),
                        "students", students);
}

/* ---- a terminal ----------------------------------------------------------------------------- */

static void points_cell(wb_table *t, const gr_standing *is) {
    if (is->report || is->overridden)
        wb_table_cell(t, "%.4g%s%s", is->points, is->overridden ? "!" : "", is->stale ? "*" : "");
    else
        wb_table_cell(t, "%s", is->submission ? "?" : "-");
}

static void student_cells(wb_table *t, const gr_student *student) {
    wb_table_row(t, false);
    wb_table_cell(t, "%s%s", student->id, student->listed ? "" : _(" (not on the roster)"));
    wb_table_cell(t, "%s", student->name);
}

char *gr_class_table(const gr_class *class) {
    wb_table *t = wb_table_new();
    bool roster = false;
    for (size_t s = 0; s < class->n_students; s++)
        roster |= class->students[s].listed;
    wb_table_columns(t, "ll", _("student"), _("name"));
    for (size_t l = 0; l < class->n_labs; l++)
        wb_table_column(t, class->labs[l].name, true);
    for (size_t s = 0; s < class->n_students; s++) {
        gr_student student = class->students[s];
        student.listed |= !roster;
        student_cells(t, &student);
        for (size_t l = 0; l < class->n_labs; l++)
            points_cell(t, gr_class_at(class, s, l));
    }
    char *text = wb_table_text(t);
    wb_table_free(t);
    return text;
}

/* Adds the points earned, the time of submission and the days late. */
static void add_cells(wb_table *t, const gr_standing *is) {
    char time[GR_TIME_TEXT];
    if (is->report)
        wb_table_cell(t, "%.4g", is->earned);
    else
        wb_table_cell(t, "%s", "");
    wb_table_cell(t, "%s", is->submission ? gr_time_text(is->at, time) : "");
    if (is->free)
        wb_table_cell(t, _("%lld (%lld free)"), (long long)is->late, (long long)is->free);
    else if (is->late)
        wb_table_cell(t, "%lld", (long long)is->late);
    else
        wb_table_cell(t, "%s", "");
}

char *gr_lab_table(const gr_view *view) {
    static const char *const titles[] = {N_("points"), N_("earned"), N_("handed in"),
                                         N_("days late"), N_("times")};
    wb_table *t = wb_table_new();
    wb_table_columns(t, "ll", _("student"), _("name"));
    for (size_t i = 0; i < WB_COUNT(titles); i++)
        wb_table_column(t, wb_tr(titles[i]), i != 2);
    wb_table_column(t, _("comment"), false);
    for (size_t s = 0; s < view->class->n_students; s++) {
        const gr_standing *is = gr_view_standing(view, s);
        gr_student student = view->class->students[s];
        student.listed = true;
        student_cells(t, &student);
        points_cell(t, is);
        add_cells(t, is);
        wb_table_cell(t, "%zu", is->n_submissions);
        wb_table_cell(t, "%s", is->comment ? is->comment : "");
    }
    char *text = wb_table_text(t);
    wb_table_free(t);
    return text;
}
