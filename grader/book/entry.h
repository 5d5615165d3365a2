/* entry.h: submissions and results, as rows of the book. */
#pragma once

#include "grader/book/book.h"
#include "grader/book/handed.h"
#include "grader/report/report.h"

/* A submission to grade. */
typedef struct gr_entry {
    int64_t id;
    char *student, *path; /* `path` as given, to show to people */
    char *content;        /* handed.h */
} gr_entry;

typedef struct gr_entries {
    gr_entry *list;
    size_t n;
} gr_entries;

/* Stores the lab, and `of` (digest.h) as its current version. */
bool gr_entry_lab(gr_book *book, const gr_lab *lab, const char *of, double max_score,
                  wb_error *err);
/* Stores a submission of a student, who need not be known. A submission with the same content keeps
 * its first time. *id: the submission's id. */
bool gr_entry_add(gr_book *book, const char *student, const char *lab, const char *path,
                  const gr_handed *handed, int64_t at, int64_t *id, wb_error *err);
/* Adds the submissions that may count and have no result for the current lab. `again`: also those
 * that have one. */
bool gr_entry_pending(gr_book *book, const char *lab, bool again, gr_entries *entries,
                      wb_error *err);
/* Adds one submission by the same rule. *pending: it was added. */
bool gr_entry_pending_one(gr_book *book, int64_t id, bool again, gr_entries *entries, bool *pending,
                          wb_error *err);
void gr_entries_free(gr_entries *entries);

/* Stores a result. It is on disk when the function returns. */
bool gr_entry_result(gr_book *book, int64_t submission, const char *of, const char *version,
                     const gr_report *report, wb_error *err);
/* Checks a late result. *is_ours: the book has the submission with this content. *is_kept: also
 * this result. */
bool gr_entry_known(gr_book *book, int64_t submission, const char *content, const char *of,
                    const char *version, const gr_report *report, bool *is_ours, bool *is_kept,
                    wb_error *err);
/* Reads the newest result of a submission, except machine failures. *found: there is one. */
bool gr_entry_report(gr_book *book, int64_t submission, gr_report *report, bool *found,
                     wb_error *err);
