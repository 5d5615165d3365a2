/* entry.h: what was handed in and what it earned, as rows of the book. */
#ifndef GRADER_BOOK_ENTRY_H
#define GRADER_BOOK_ENTRY_H

#include "grader/book/book.h"
#include "grader/book/handed.h"
#include "grader/report/report.h"

/* A submission that is to be graded. */
typedef struct gr_entry {
    int64_t id;
    char *student, *path; /* the path it was handed in under, for people to read */
    char *content;        /* handed.h */
} gr_entry;

typedef struct gr_entries {
    gr_entry *list;
    size_t n;
} gr_entries;

/* Notes the lab, and `of` (digest.h) as what results are to be made for. */
bool gr_entry_lab(gr_book *book, const gr_lab *lab, const char *of, double max_score,
                  wb_error *err);
/* Notes that the student handed this in; nobody has to be known. What was handed in before keeps
 * its time. *id is the submission's. */
bool gr_entry_add(gr_book *book, const char *student, const char *lab, const char *path,
                  const gr_handed *handed, int64_t at, int64_t *id, wb_error *err);
/* Of the submissions that may count, those without a result for the lab as it is now; `again`:
 * those with one too. */
bool gr_entry_pending(gr_book *book, const char *lab, bool again, gr_entries *entries,
                      wb_error *err);
/* The same of one submission. *pending says whether it was added to the entries. */
bool gr_entry_pending_one(gr_book *book, int64_t id, bool again, gr_entries *entries, bool *pending,
                          wb_error *err);
void gr_entries_free(gr_entries *entries);

/* Keeps a result; on disk when it returns. */
bool gr_entry_result(gr_book *book, int64_t submission, const char *of, const char *version,
                     const gr_report *report, wb_error *err);
/* Of a result that comes late: whether the submission is the book's, with this content, and whether
 * this very result is kept already. */
bool gr_entry_known(gr_book *book, int64_t submission, const char *content, const char *of,
                    const char *version, const gr_report *report, bool *is_ours, bool *is_kept,
                    wb_error *err);
/* The newest result of a submission that is none of a machine that failed. *found: there is one. */
bool gr_entry_report(gr_book *book, int64_t submission, gr_report *report, bool *found,
                     wb_error *err);

#endif
