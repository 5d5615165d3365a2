/* report.h: the result of grading one submission, and its output formats. */
#pragma once

#include <jansson.h>
#include "grader/lab/lab.h"
#include "runtime/json/finding.h"

/* Points compared with the maximum. GR_ERROR: not graded. JSON uses the names. */
typedef enum gr_status { GR_UNKNOWN, GR_PASSED, GR_PARTIAL, GR_FAILED, GR_ERROR } gr_status;
extern const char *const gr_status_names[];

/* One line of the result: a test or a performance criterion. */
typedef struct gr_item {
    char *name, *about;
    double score, max;
    gr_status status;
    json_t *findings; /* why points are missing: an array (finding.h) */
    char *output;     /* the findings as text, or "" */
    bool hidden, performance;
} gr_item;

typedef struct gr_report {
    char *submission, *lab, *title;
    char device[160]; /* "softgpu", "NVIDIA H200" */
    bool gpu, sandboxed;
    uint64_t seed;
    gr_status status;
    json_t *findings; /* findings about the whole submission: an array, usually empty */
    char *message;    /* the same as text, or "" */
    char *printed;    /* output of its host and device code, cut; or "" */
    double score, max_score, seconds;
    gr_item *items;
    size_t n_items;
    json_t *measured; /* counts or times of the performance run, or NULL */
} gr_report;

/* Adds an item and takes over the findings (NULL: none). */
bool gr_report_add(gr_report *report, const char *name, const char *about, double score, double max,
                   json_t *findings, bool hidden, bool performance);
/* Sets the message and its finding. NULL: no message. */
void gr_report_message(gr_report *report, const json_t *finding);
/* Sums the items and sets the status. */
void gr_report_finish(gr_report *report);
void gr_report_free(gr_report *report);
/* Returns true if the submission has a message or fails a test. A slow correct one passes. */
bool gr_report_failed(const gr_report *report);

/* Rounds to three decimals, as all output formats do. */
double gr_rounded(double x);

/* Convert a report to the JSON of --json, and back. The caller frees *report in both cases. */
json_t *gr_report_json(const gr_report *report);
bool gr_report_load(const char *text, gr_report *report, wb_error *err);

/* Each appends to *out. --json writes a single report as an object, several as an array. */
void gr_write_table(const gr_report *reports, size_t n, wb_buf *out);
/* One line for each, then those that took unusually long. */
void gr_write_summary(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_json(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_junit(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_csv(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_gradescope(const gr_report *reports, size_t n, wb_buf *out); /* only the first one */
/* For GitHub Classroom's workflows: notices with the first report's points, and the table. */
void gr_write_classroom(const gr_report *reports, size_t n, wb_buf *out);
void gr_write_html(const gr_report *reports, size_t n, wb_buf *out);

/* Parts of HTML pages: the start with the title as heading; a bar for 0..1; a report's message,
 * tests and output. A page ends with GR_HTML_END. */
void gr_html_begin(wb_buf *out, const char *title);
void gr_html_bar(wb_buf *out, double part);
void gr_html_tests(wb_buf *out, const gr_report *report);
/* Appends the lines from..to of a text, with line numbers. */
void gr_html_lines(wb_buf *out, const char *text, int from, int to);
#define GR_HTML_END "</body></html>\n"

/* Takes over malloc'd text and returns it as valid UTF-8 (NULL becomes ""), cut at `max` bytes with
 * a note. Control characters, except line ends and tabs, become pictures. */
char *gr_valid_text(char *text, size_t max);
/* Does the same for a name, in which line ends and tabs become pictures, too. */
char *gr_valid_name(char *name, size_t max);

/* Appends a quoted CSV field, which no spreadsheet takes for a formula. */
void gr_csv_field(wb_buf *out, const char *text);
