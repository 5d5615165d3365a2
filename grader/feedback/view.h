/* view.h: a lab's results in a class: all reports, and the tests as columns. */
#pragma once

#include "grader/book/class.h"
#include "grader/report/report.h"

typedef struct gr_view_test {
    const char *name; /* borrowed from a report */
    double max;
} gr_view_test;

typedef struct gr_view {
    const gr_class *class; /* borrowed */
    size_t lab;
    gr_report *reports;  /* by student; title NULL: none */
    gr_view_test *tests; /* of all reports, in the lab's order */
    size_t n_tests;
} gr_view;

/* Returns false with *err. The caller frees *view in both cases. */
bool gr_view_make(const gr_class *class, size_t lab, gr_view *view, wb_error *err);
void gr_view_free(gr_view *view);

/* Return a student's report, which is NULL if there is none, and standing. */
const gr_report *gr_view_report(const gr_view *view, size_t student);
const gr_standing *gr_view_standing(const gr_view *view, size_t student);
/* Returns a report's item of that name. NULL: the lab did not have it when it was graded. */
const gr_item *gr_view_item(const gr_report *report, const char *test);

/* Writes a table for spreadsheets: a row for each student who is listed or has a submission, a
 * column for each test. Labs are side by side. */
void gr_write_class_csv(const gr_view *views, size_t n, wb_buf *out);
/* Returns the same table as JSON, with the reasons. */
json_t *gr_class_json(const gr_view *views, size_t n);
/* Return a table for a terminal: points by student and lab, or a lab's standings. malloc'd. */
char *gr_class_table(const gr_class *class);
char *gr_lab_table(const gr_view *view);
