/* class.c: reads the whole book as one table. */
#include "grader/book/class.h"
#include "runtime/base/scoped.h"

/* A submission, before it is known which one counts. */
typedef struct attempt {
    size_t student, lab;
    gr_standing is;
} attempt;

typedef struct reader {
    gr_class *class;
    attempt *attempts;
    size_t n_attempts;
} reader;

static char *copy_or_null(sqlite3_stmt *s, int column) {
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? strdup(text) : NULL;
}

static bool take_student(void *ctx, sqlite3_stmt *s) {
    gr_class *c = ((reader *)ctx)->class;
    gr_student *student = WB_PUSH(c->students, c->n_students);
    if (!student)
        return false;
    *student = (gr_student){copy_or_null(s, 0), copy_or_null(s, 1), copy_or_null(s, 2),
                            copy_or_null(s, 3), sqlite3_column_int(s, 4)};
    return student->id && student->name && student->email && student->section;
}

static bool take_lab(void *ctx, sqlite3_stmt *s) {
    gr_class *c = ((reader *)ctx)->class;
    gr_book_lab *lab = WB_PUSH(c->labs, c->n_labs);
    if (!lab)
        return false;
    *lab = (gr_book_lab){.name = copy_or_null(s, 0),
                         .title = copy_or_null(s, 1),
                         .of = copy_or_null(s, 2),
                         .max_score = sqlite3_column_double(s, 3),
                         .rules = {sqlite3_column_int(s, 4), sqlite3_column_int64(s, 5),
                                   sqlite3_column_int64(s, 6), sqlite3_column_double(s, 7),
                                   sqlite3_column_int64(s, 8), sqlite3_column_int(s, 9)}};
    return lab->name && lab->title && lab->of;
}

static long find_student(const gr_class *c, const char *id) {
    size_t from = 0, to = c->n_students;
    while (from < to) {
        size_t middle = (from + to) / 2;
        int order = strcmp(c->students[middle].id, id);
        if (order == 0)
            return (long)middle;
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return -1;
}

static long find_lab(const gr_class *c, const char *name) {
    for (size_t i = 0; i < c->n_labs; i++)
        if (strcmp(c->labs[i].name, name) == 0)
            return (long)i;
    return -1;
}

static bool take_attempt(void *ctx, sqlite3_stmt *s) {
    reader *r = ctx;
    attempt *a = WB_PUSH(r->attempts, r->n_attempts);
    long student = find_student(r->class, gr_book_text(s, 0));
    long lab = find_lab(r->class, gr_book_text(s, 1));
    if (!a)
        return false;
    a->is = (gr_standing){.submission = sqlite3_column_int64(s, 2),
                          .at = sqlite3_column_int64(s, 3),
                          .path = copy_or_null(s, 4),
                          .content = copy_or_null(s, 5),
                          .report = copy_or_null(s, 6),
                          .seed = copy_or_null(s, 7),
                          .device = copy_or_null(s, 8),
                          .version = copy_or_null(s, 9),
                          .earned = sqlite3_column_double(s, 10),
                          .before = copy_or_null(s, 12)};
    if (student < 0 || lab < 0 || !a->is.path || !a->is.content)
        return false;
    a->student = (size_t)student;
    a->lab = (size_t)lab;
    a->is.stale = a->is.report && strcmp(r->class->labs[lab].of, gr_book_text(s, 11)) != 0;
    return true;
}

static bool take_mark(void *ctx, sqlite3_stmt *s) {
    gr_class *c = ((reader *)ctx)->class;
    long student = find_student(c, gr_book_text(s, 0)), lab = find_lab(c, gr_book_text(s, 1));
    if (student < 0 || lab < 0)
        return true;
    gr_standing *is = &c->standings[(size_t)student * c->n_labs + (size_t)lab];
    is->overridden = sqlite3_column_type(s, 2) != SQLITE_NULL;
    is->points = sqlite3_column_double(s, 2);
    is->comment = copy_or_null(s, 3);
    is->extension = sqlite3_column_int64(s, 4);
    return true;
}

/* Reads the tables, those first that later ones refer to. */
static bool read_tables(reader *r, gr_book *book, wb_error *err) {
    gr_class *c = r->class;
    return gr_book_each(
               book, err, take_student, r,
               "SELECT id, name, email, section, listed FROM students WHERE listed OR id IN "
               "(SELECT student FROM submissions UNION SELECT student FROM marks) ORDER BY id",
               "") &&
           gr_book_each(
               book, err, take_lab, r,
               "SELECT lab, title, of, max_score, due IS NOT NULL, due, grace, penalty, days, best "
               "FROM labs ORDER BY due IS NULL, due, lab",
               "") &&
           ((c->standings = calloc(c->n_students * c->n_labs + 1, sizeof *c->standings)) ||
            wb_fail(err, 1, _("out of memory"))) &&
           gr_book_each(
               book, err, take_attempt, r,
               "SELECT s.student, s.lab, s.id, s.at, s.path, s.content, r.report, r.seed, "
               "r.device, r.version, r.score, r.of, b.report FROM submissions s LEFT JOIN results "
               "r ON "
               "r.id=(SELECT max(id) FROM results WHERE submission=s.id AND status<>'error') "
               "LEFT JOIN results b ON b.id=(SELECT max(id) FROM results WHERE submission=s.id AND "
               "status<>'error' AND id<r.id) ORDER BY s.at, s.id",
               "") &&
           gr_book_each(book, err, take_mark, r,
                        "SELECT student, lab, points, comment, extension FROM marks", "") &&
           gr_book_number(book, err, &c->free_days,
                          "SELECT value FROM course WHERE name='free_days'", "") &&
           gr_book_number(book, err, &c->ranks, "SELECT value FROM course WHERE name='ranks'", "");
}

/* ---- which submission counts ---------------------------------------------------------------- */

static void free_standing(gr_standing *is) {
    WB_FREE(is->path, is->report, is->before, is->content, is->seed, is->device, is->version,
            is->comment);
    *is = (gr_standing){.submission = 0};
}

/* Computes the attempt's late days and points when `left` free days remain. */
static void work_out(gr_standing *is, const gr_rules *rules, int64_t extension, int64_t left) {
    is->late = gr_days_late(rules, is->at, extension);
    is->free = gr_free_days(rules, is->late, left);
    is->points = gr_after_penalty(rules, is->earned, is->late - is->free);
}

/* Returns true if the later attempt replaces the earlier one. It always does, unless the best one
 * counts; then it needs more points, or as many if the earlier one is not graded. */
static bool takes_place(const gr_rules *rules, const gr_standing *now, const gr_standing *later) {
    return !now->submission || !rules->best || later->points > now->points ||
           (later->report && !now->report);
}

/* Settles a student's labs by due time, so the earliest lab uses free days first. */
static void settle_student(reader *r, size_t student, attempt *first, size_t n) {
    gr_class *c = r->class;
    int64_t left = c->free_days;
    for (size_t l = 0; l < c->n_labs; l++) {
        gr_standing *is = &c->standings[student * c->n_labs + l], counts = {.submission = 0};
        for (size_t i = 0; i < n; i++) {
            if (first[i].lab != l)
                continue;
            work_out(&first[i].is, &c->labs[l].rules, is->extension, left);
            is->n_submissions++;
            gr_standing *gone = &first[i].is;
            if (takes_place(&c->labs[l].rules, &counts, gone)) {
                gr_standing taken = *gone;
                *gone = counts;
                counts = taken;
            }
            free_standing(gone);
        }
        counts.n_submissions = is->n_submissions;
        counts.extension = is->extension;
        counts.comment = is->comment;
        counts.overridden = is->overridden;
        counts.points = is->overridden ? is->points : counts.points;
        *is = counts;
        left -= counts.free;
    }
}

static int by_student(const void *a, const void *b) {
    const attempt *x = a, *y = b;
    if (x->student != y->student)
        return x->student < y->student ? -1 : 1;
    if (x->is.at != y->is.at)
        return x->is.at < y->is.at ? -1 : 1;
    return x->is.submission < y->is.submission ? -1 : x->is.submission > y->is.submission;
}

static void settle(reader *r) {
    if (r->n_attempts)
        qsort(r->attempts, r->n_attempts, sizeof r->attempts[0], by_student);
    for (size_t s = 0, i = 0; s < r->class->n_students; s++) {
        size_t begin = i;
        while (i < r->n_attempts && r->attempts[i].student == s)
            i++;
        settle_student(r, s, r->attempts + begin, i - begin);
    }
}

gr_class *gr_class_read(gr_book *book, wb_error *err) {
    reader r = {.class = calloc(1, sizeof *r.class)};
    bool ok = r.class || wb_fail(err, 1, _("out of memory"));
    /* read one state, even if another process writes */
    bool begun = ok && gr_book_run(book, err, "BEGIN", "");
    ok = begun && read_tables(&r, book, err);
    if (begun)
        gr_book_run(book, NULL, "ROLLBACK", "");
    if (ok)
        settle(&r);
    for (size_t i = 0; !ok && i < r.n_attempts; i++)
        free_standing(&r.attempts[i].is);
    free(r.attempts);
    if (ok)
        return r.class;
    gr_class_free(r.class);
    return NULL;
}

void gr_class_free(gr_class *c) {
    if (!c)
        return;
    for (size_t i = 0; c->standings && i < c->n_students * c->n_labs; i++)
        free_standing(&c->standings[i]);
    for (size_t i = 0; i < c->n_students; i++)
        WB_FREE(c->students[i].id, c->students[i].name, c->students[i].email,
                c->students[i].section);
    for (size_t i = 0; i < c->n_labs; i++)
        WB_FREE(c->labs[i].name, c->labs[i].title, c->labs[i].of);
    WB_FREE(c->students, c->labs, c->standings, c);
}

/* ---- by name -------------------------------------------------------------------------------- */

/* Returns `found`, or -1 with *err, which suggests one of the names: the first members of `n`
 * structs of `size` bytes. */
static long known(long found, const char *kind, const char *name, const void *list, size_t n,
                  size_t size, wb_error *err) {
    if (found >= 0)
        return found;
    WB_SCOPED const char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        memcpy(&names[i], (const char *)list + i * size, sizeof names[i]);
    wb_fail(err, 1, _("the gradebook has no %s %s%s"), kind, name,
            names ? wb_text_meant(name, names, n) : "");
    return -1;
}

long gr_class_lab(const gr_class *c, const char *name, wb_error *err) {
    return known(find_lab(c, name), _("lab"), name, c->labs, c->n_labs, sizeof *c->labs, err);
}

long gr_class_student(const gr_class *c, const char *id, wb_error *err) {
    return known(find_student(c, id), _("student"), id, c->students, c->n_students,
                 sizeof *c->students, err);
}
