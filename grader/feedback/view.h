/* view.h: a lab as the class did it: everybody's report, and the tests as columns. */
#ifndef GRADER_FEEDBACK_VIEW_H
#define GRADER_FEEDBACK_VIEW_H

#include "grader/book/class.h"
#include "grader/report/report.h"

typedef struct gr_view_test {
    const char *name; /* of a report's */
    double max;
    bool performance;
} gr_view_test;

typedef struct gr_view {
    const gr_class *class; /* borrowed */
    size_t lab;
    gr_report *reports;  /* of each student; title NULL: none */
    gr_view_test *tests; /* of all reports, in the order of the lab */
    size_t n_tests;
} gr_view;

/* False with *err; to be freed either way. */
bool gr_view_make(const gr_class *class, size_t lab, gr_view *view, wb_error *err);
void gr_view_free(gr_view *view);

/* A student's report and standing; NULL: there is no report. */
const gr_report *gr_view_report(const gr_view *view, size_t student);
const gr_standing *gr_view_standing(const gr_view *view, size_t student);
/* A report's line of that name; NULL: the lab had none when it was graded. */
const gr_item *gr_view_item(const gr_report *report, const char *test);

/* A line a student who is listed or handed in, a column a test: what a spreadsheet takes. Labs one
 * after the other. */
void gr_write_class_csv(const gr_view *views, size_t n, wb_buf *out);
/* The same as JSON, with reasons. */
json_t *gr_class_json(const gr_view *views, size_t n);
/* For a terminal: a lab's standings, or points by student and lab; malloc'd. */
char *gr_class_table(const gr_class *class);
char *gr_lab_table(const gr_view *view);

#endif
