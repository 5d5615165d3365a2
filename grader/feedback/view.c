/* view.c: collects the reports of a lab. */
#include "grader/feedback/view.h"

static bool add_test(gr_view *view, const gr_item *item) {
    for (size_t i = 0; i < view->n_tests; i++)
        if (strcmp(view->tests[i].name, item->name) == 0)
            return true;
    return WB_ADD(view->tests, view->n_tests, (gr_view_test){item->name, item->max});
}

bool gr_view_make(const gr_class *class, size_t lab, gr_view *view, wb_error *err) {
    *view = (gr_view){.class = class, .lab = lab};
    view->reports = calloc(class->n_students + 1, sizeof *view->reports);
    bool ok = view->reports != NULL || wb_fail(err, 1, _("out of memory"));
    /* current reports first, so that tests which the lab has lost come last */
    for (int stale = 0; ok && stale < 2; stale++)
        for (size_t s = 0; ok && s < class->n_students; s++) {
            const gr_standing *is = gr_class_at(class, s, lab);
            if (!is->report || is->stale != (stale == 1))
                continue;
            gr_report *report = &view->reports[s];
            ok = gr_report_load(is->report, report, err);
            for (size_t i = 0; ok && i < report->n_items; i++)
                ok = add_test(view, &report->items[i]) || wb_fail(err, 1, _("out of memory"));
        }
    return ok;
}

void gr_view_free(gr_view *view) {
    for (size_t s = 0; view->reports && s < view->class->n_students; s++)
        gr_report_free(&view->reports[s]);
    WB_FREE(view->reports, view->tests);
    *view = (gr_view){.class = NULL};
}

const gr_report *gr_view_report(const gr_view *view, size_t student) {
    return view->reports[student].title ? &view->reports[student] : NULL;
}

const gr_standing *gr_view_standing(const gr_view *view, size_t student) {
    return gr_class_at(view->class, student, view->lab);
}

const gr_item *gr_view_item(const gr_report *report, const char *test) {
    for (size_t i = 0; report && i < report->n_items; i++)
        if (strcmp(report->items[i].name, test) == 0)
            return &report->items[i];
    return NULL;
}
