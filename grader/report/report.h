/* report.h: what grading one submission found, and the forms it is written in. */
#ifndef GRADER_REPORT_H
#define GRADER_REPORT_H

#include <jansson.h>
#include "grader/lab/lab.h"
#include "runtime/json/finding.h"

/* Points beside the most there are; GR_ERROR: not graded. JSON has the names. */
typedef enum gr_status { GR_UNKNOWN, GR_PASSED, GR_PARTIAL, GR_FAILED, GR_ERROR } gr_status;
extern const char *const gr_status_names[];

/* One line of the result: a test or a criterion of performance. */
typedef struct gr_item {
    char *name, *about;
    double score, max;
    gr_status status;
    json_t *findings; /* why points are missing: an array (finding.h) */
    char *output;     /* the same for people, or "" */
    bool hidden, performance;
} gr_item;

typedef struct gr_report {
    char *submission, *lab, *title;
    char device[160]; /* "softgpu", "NVIDIA H200" */
    bool gpu, sandboxed;
    uint64_t seed;
    gr_status status;
    json_t *findings; /* what the submission as a whole suffers from: an array, mostly empty */
    char *message;    /* the same for people, or "" */
    char *printed;    /* what its host and device code printed, cut; or "" */
    double score, max_score, seconds;
    gr_item *items;
    size_t n_items;
    json_t *measured; /* counts or times of the performance run, or NULL */
} gr_report;

/* Adds an item; takes the findings over (NULL: none). */
bool gr_report_add(gr_report *report, const char *name, const char *about, double score, double max,
                   json_t *findings, bool hidden, bool performance);
/* Sets the message and its findings; NULL: there is none. */
void gr_report_message(gr_report *report, const json_t *finding);
/* Sums the items and sets the status. */
void gr_report_finish(gr_report *report);
void gr_report_free(gr_report *report);
/* A submission fails by a message of its own or by a test; slow but right is no failure. */
bool gr_report_failed(const gr_report *report);

/* To three decimals: what documents of all forms say. */
double gr_rounded(double x);

/* A report as --json writes it, and out of that again (to be freed either way). */
json_t *gr_report_json(const gr_report *report);
bool gr_report_load(const char *text, gr_report *report, wb_error *err);

/* Each appends to *out. A batch of one is written as itself in --json, a larger one as an array. */
void gr_write_table(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_summary(const gr_report *reports, size_t n, wb_buf *out); /* a line each */
void gr_write_json(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_junit(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_csv(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_gradescope(const gr_report *reports, size_t n, wb_buf *out); /* the first one */
/* For a workflow of GitHub Classroom: notices with the points of the first one, and the table. */
void gr_write_classroom(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_html(const gr_report *reports, size_t n, wb_buf *out);

/* Parts of pages in HTML, for pages made elsewhere: what stands before the text, with the title as
 * heading; a bar of 0..1; a report's message, tests and output. A page ends with GR_HTML_END. */
void gr_html_begin(wb_buf *out, const char *title);
void gr_html_bar(wb_buf *out, double part);
void gr_html_tests(wb_buf *out, const gr_report *report);
/* Lines from..to of a text, with their numbers. */
void gr_html_lines(wb_buf *out, const char *text, int from, int to);
#define GR_HTML_END "</body></html>\n"

/* Takes malloc'd text over and returns it as valid UTF-8 (NULL becomes ""); cut at `max` bytes with
 * a word about it. Pictures stand for control characters, but for line ends and tabs. */
char *gr_valid_text(char *text, size_t max);
/* The same of a name, which has no line ends and tabs either. */
char *gr_valid_name(char *name, size_t max);

/* Appends a field of CSV, quoted always; a spreadsheet finds no formula in it. */
void gr_csv_field(wb_buf *out, const char *text);

#endif
