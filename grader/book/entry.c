/* entry.c: submissions and results. */
#include "grader/book/entry.h"
#include "runtime/base/scoped.h"

#include <time.h>

bool gr_entry_lab(gr_book *book, const gr_lab *lab, const char *of, double max_score,
                  wb_error *err) {
    return gr_book_run(book, err,
                       "INSERT INTO labs(lab, title, path, of, max_score) VALUES(?,?,?,?,?) ON "
                       "CONFLICT(lab) DO UPDATE SET title=excluded.title, path=excluded.path, "
                       "of=excluded.of, max_score=excluded.max_score",
                       "ssssf", lab->name, lab->title, lab->path, of, max_score);
}

bool gr_entry_add(gr_book *book, const char *student, const char *lab, const char *path,
                  const gr_handed *handed, int64_t at, int64_t *id, wb_error *err) {
    return gr_handed_keep(book, handed, err) &&
           gr_book_run(book, err, "INSERT OR IGNORE INTO students VALUES(?,'','','',0)", "s",
                       student) &&
           gr_book_run(book, err,
                       "INSERT INTO submissions(student, lab, content, path, at) "
                       "VALUES(?,?,?,?,?) ON CONFLICT(student, lab, content) DO UPDATE SET "
                       "path=excluded.path",
                       "ssssi", student, lab, handed->content, path, at) &&
           gr_book_number(book, err, id,
                          "SELECT id FROM submissions WHERE student=? AND lab=? AND content=?",
                          "sss", student, lab, handed->content);
}

/* ---- pending submissions --------------------------------------------------------------------- */

static bool add_entry(void *ctx, sqlite3_stmt *row) {
    gr_entries *entries = ctx;
    gr_entry *e = WB_PUSH(entries->list, entries->n);
    if (!e)
        return false;
    *e = (gr_entry){.id = sqlite3_column_int64(row, 0),
                    .student = strdup(gr_book_text(row, 1)),
                    .path = strdup(gr_book_text(row, 2)),
                    .content = strdup(gr_book_text(row, 3))};
    return e->student && e->path && e->content;
}

#define COLUMNS                                                                                    \
    "SELECT s.id, s.student, s.path, s.content FROM submissions s JOIN labs l USING(lab) "
#define NOT_GRADED                                                                                 \
    "(? OR NOT EXISTS(SELECT 1 FROM results r WHERE r.submission=s.id AND r.of=l.of AND "          \
    "r.status<>'error'))"

bool gr_entry_pending(gr_book *book, const char *lab, bool again, gr_entries *entries,
                      wb_error *err) {
    return gr_book_each(
        book, err, add_entry, entries,
        COLUMNS
        "WHERE lab=? AND (l.best OR NOT EXISTS(SELECT 1 FROM submissions t WHERE "
        "t.student=s.student AND t.lab=s.lab AND (t.at, t.id) > (s.at, s.id))) AND " NOT_GRADED
        " ORDER BY s.student, s.id",
        "si", lab, (int64_t)again);
}

bool gr_entry_pending_one(gr_book *book, int64_t id, bool again, gr_entries *entries, bool *pending,
                          wb_error *err) {
    size_t before = entries->n;
    bool ok = gr_book_each(book, err, add_entry, entries, COLUMNS "WHERE s.id=? AND " NOT_GRADED,
                           "ii", id, (int64_t)again);
    *pending = entries->n > before;
    return ok;
}

void gr_entries_free(gr_entries *entries) {
    for (size_t i = 0; i < entries->n; i++)
        WB_FREE(entries->list[i].student, entries->list[i].path, entries->list[i].content);
    free(entries->list);
    *entries = (gr_entries){.n = 0};
}

/* ---- results -------------------------------------------------------------------------------- */

bool gr_entry_result(gr_book *book, int64_t submission, const char *of, const char *version,
                     const gr_report *report, wb_error *err) {
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)report->seed);
    WB_SCOPED char *text = wb_json_dump(gr_report_json(report), JSON_COMPACT | JSON_PRESERVE_ORDER);
    return text ? gr_book_run(book, err,
                              "INSERT INTO results(submission, of, seed, device, version, at, "
                              "seconds, score, max_score, status, report) "
                              "VALUES(?,?,?,?,?,?,?,?,?,?,?)",
                              "issssifffss", submission, of, seed, report->device, version,
                              (int64_t)time(NULL), report->seconds, gr_rounded(report->score),
                              report->max_score, gr_status_names[report->status], text)
                : wb_fail(err, 1, _("out of memory"));
}

bool gr_entry_known(gr_book *book, int64_t submission, const char *content, const char *of,
                    const char *version, const gr_report *report, bool *is_ours, bool *is_kept,
                    wb_error *err) {
    char seed[32];
    snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)report->seed);
    int64_t known = 0;
    bool ok = gr_book_number(
        book, err, &known,
        "SELECT EXISTS(SELECT 1 FROM submissions WHERE id=? AND content=?) + 2 * EXISTS(SELECT 1 "
        "FROM results WHERE submission=? AND of=? AND version=? AND seed=? AND status=? AND "
        "score=?)",
        "isissssf", submission, content, submission, of, version, seed,
        gr_status_names[report->status], gr_rounded(report->score));
    *is_ours = known & 1;
    *is_kept = known & 2;
    return ok;
}

bool gr_entry_report(gr_book *book, int64_t submission, gr_report *report, bool *found,
                     wb_error *err) {
    WB_SCOPED char *text = NULL;
    bool ok = gr_book_string(book, err, &text,
                             "SELECT report FROM results WHERE submission=? AND status<>'error' "
                             "ORDER BY id DESC LIMIT 1",
                             "i", submission);
    *found = text;
    return ok && (!text || gr_report_load(text, report, err));
}
