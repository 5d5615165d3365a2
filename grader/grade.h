/* grade.h: grades one submission: compile, plan, run, check, score. */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "grader/report/report.h"
#include "grader/stages/stages.h"

typedef struct gr_options {
    wb_device device;
    gr_limits limits;
    uint64_t seed;
    bool sandbox;
    bool lab_source; /* the file is the lab's own rival: no library is forbidden to it */
    /* What is going on ("compiling"), for a progress line; or NULL. */
    void (*progress)(void *ctx, const char *stage);
    void *progress_ctx;
    const volatile int *stop; /* as in wb_proc_spec; or NULL */
    gr_known *known;          /* shared with others of the same seed; or NULL */
    /* What stands in messages and the report in place of the submission's path, where that is a
     * copy's; NULL: the path. */
    const char *shown;
} gr_options;

/* Fills *report in every case; false when the machine failed (report->message says why, and the
 * status is "error"), also where *options->stop ended it. Thread-safe. */
bool gr_grade(const gr_lab *lab, const char *submission, const gr_options *options,
              gr_report *report);
/* Replaces the submission's path in the report by another. */
void gr_show_as(gr_report *report, const char *path, const char *shown);
/* The report of a submission that can't be read, or that the machine failed on. */
void gr_refuse(const gr_lab *lab, const char *submission, const gr_options *options,
               wb_finding_kind kind, const char *message, gr_report *report);

#endif
