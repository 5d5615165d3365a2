/* roster.c: reads a roster's CSV, and finds the student of a submission. */
#include "grader/book/roster.h"
#include "grader/book/csv.h"
#include "grader/report/report.h"
#include "runtime/base/scoped.h"

#include <ctype.h>

enum { MAX_ROSTER = 8 << 20, MAX_ID = 100 };

enum { ID, NAME, EMAIL, SECTION, COLUMNS };

/* Column titles that export programs use. The first one found counts. */
static const char *const titles[COLUMNS][8] = {
    {"id", "student id", "student", "username", "login", "login id", "sis login id", "sid"},
    {"name", "full name", "student name", "display name"},
    {"email", "e-mail", "email address", "mail"},
    {"section", "group", "class", "sections"},
};

static bool same_title(const char *field, const char *title) {
    for (; *field && *title; field++) {
        char c = *field == '_' || *field == '-' ? ' ' : (char)tolower((unsigned char)*field);
        char t = *title == '-' ? ' ' : *title;
        if (c != t)
            return false;
        title++;
    }
    return !*field && !*title;
}

/* Finds the column of each title in the first row; -1: none. */
static void find_columns(const gr_csv_row *head, int columns[COLUMNS]) {
    for (int c = 0; c < COLUMNS; c++) {
        columns[c] = -1;
        for (size_t t = 0; columns[c] < 0 && t < WB_COUNT(titles[c]) && titles[c][t]; t++)
            for (size_t i = 0; columns[c] < 0 && i < head->fields.n; i++)
                if (same_title(head->fields.v[i], titles[c][t]))
                    columns[c] = (int)i;
    }
}

static const char *field(const gr_csv_row *row, int column) {
    return column >= 0 && (size_t)column < row->fields.n ? row->fields.v[column] : "";
}

/* Returns true for a valid id. It must be usable as a file name, for feedback. */
static bool is_id(const char *id) {
    if (!*id || strlen(id) > MAX_ID || *id == '.' || *id == '-')
        return false;
    for (; *id; id++)
        if ((unsigned char)*id < ' ' || *id == 0x7f || strchr("/\\:*?\"<>|", *id))
            return false;
    return true;
}

/* ---- the CSV -------------------------------------------------------------------------------- */

typedef struct entry {
    const gr_csv_row *row;
    const char *text; /* the sort key */
} entry;

static int by_text(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->row->line - y->row->line;
}

/* Returns the rows sorted by a column's text. The caller frees the list. */
static entry *sorted(const gr_csv *csv, int column) {
    entry *entries = calloc(csv->n, sizeof *entries);
    for (size_t i = 1; entries && i < csv->n; i++)
        entries[i - 1] = (entry){&csv->rows[i], field(&csv->rows[i], column)};
    if (entries)
        qsort(entries, csv->n - 1, sizeof *entries, by_text);
    return entries;
}

static bool check_ids(const char *path, const gr_csv *csv, int column, wb_error *err) {
    for (size_t i = 1; i < csv->n; i++)
        if (!is_id(field(&csv->rows[i], column)))
            return wb_fail(
                err, 1,
                _("%s:%d: '%.100s' can be no student's id: ids name files, so they have "
                  "1 to %d characters, no / \\ : * ? \" < > |, and begin with no . or -"),
                path, csv->rows[i].line, field(&csv->rows[i], column), MAX_ID);
    WB_SCOPED entry *ids = sorted(csv, column);
    bool ok = ids || wb_fail(err, 1, _("out of memory"));
    for (size_t i = 1; ok && i + 1 < csv->n; i++)
        if (strcmp(ids[i - 1].text, ids[i].text) == 0)
            ok = wb_fail(err, 1,
                         _("%s:%d: the student %s is in line %d already; the roster was not taken"),
                         path, ids[i].row->line, ids[i].text, ids[i - 1].row->line);
    return ok;
}

/* Warns of two students with one name, because one may have been entered twice. malloc'd, or
 * NULL. */
static char *warn_of_names(const char *path, const gr_csv *csv, const int columns[COLUMNS]) {
    WB_SCOPED entry *names = columns[NAME] >= 0 ? sorted(csv, columns[NAME]) : NULL;
    char *warning = NULL;
    for (size_t i = 1; names && !warning && i + 1 < csv->n; i++)
        if (*names[i].text && strcmp(names[i - 1].text, names[i].text) == 0)
            warning = wb_format(
                _("%s:%d: %s is in line %d, too, with another id (%s, %s): these count as "
                  "two students"),
                path, names[i].row->line, names[i].text, names[i - 1].row->line,
                field(names[i - 1].row, columns[ID]), field(names[i].row, columns[ID]));
    return warning;
}

static bool take_student(gr_book *book, const gr_csv_row *row, const int columns[COLUMNS],
                         gr_roster_news *news, wb_error *err) {
    const char *id = field(row, columns[ID]), *name = field(row, columns[NAME]),
               *email = field(row, columns[EMAIL]), *section = field(row, columns[SECTION]);
    int64_t same = -1; /* not there */
    if (!gr_book_number(book, err, &same,
                        "SELECT name=? AND email=? AND section=? FROM students WHERE id=?", "ssss",
                        name, email, section, id))
        return false;
    news->added += same < 0;
    news->changed += same == 0;
    news->kept += same > 0;
    return gr_book_run(book, err,
                       "INSERT INTO students VALUES(?,?,?,?,1) ON CONFLICT(id) DO UPDATE SET "
                       "name=excluded.name, email=excluded.email, section=excluded.section, "
                       "listed=1",
                       "ssss", id, name, email, section);
}

static bool take_all(gr_book *book, const gr_csv *csv, const int columns[COLUMNS],
                     gr_roster_news *news, wb_error *err) {
    if (!gr_book_begin(book, err))
        return false;
    bool ok = gr_book_run(book, err, "UPDATE students SET listed=0", "");
    /* names are shown on terminals, and students can choose them in some courses */
    for (size_t i = 1; ok && i < csv->n; i++)
        for (size_t k = 0; k < csv->rows[i].fields.n; k++)
            csv->rows[i].fields.v[k] = gr_valid_name(csv->rows[i].fields.v[k], 4000);
    for (size_t i = 1; ok && i < csv->n; i++)
        ok = take_student(book, &csv->rows[i], columns, news, err);
    int64_t missing = 0;
    ok = ok &&
         gr_book_number(book, err, &missing, "SELECT count(*) FROM students WHERE NOT listed", "");
    news->missing = (size_t)missing;
    return gr_book_end(book, ok, err);
}

bool gr_roster_read(gr_book *book, const char *path, gr_roster_news *news, wb_error *err) {
    WB_SCOPED_BUF wb_buf text = {0};
    gr_csv csv = {.n = 0};
    int columns[COLUMNS];
    *news = (gr_roster_news){.added = 0};
    bool ok = wb_file_read(path, MAX_ROSTER, &text, err) &&
              gr_csv_parse(path, text.data ? text.data : "", text.len, &csv, err);
    if (ok && csv.n < 2)
        ok = wb_fail(err, 1,
                     _("%s names no student: a line of titles (id, name, email, section) and "
                       "a line each are needed"),
                     path);
    if (ok)
        find_columns(&csv.rows[0], columns);
    if (ok && columns[ID] < 0)
        columns[ID] = columns[NAME];
    if (ok && columns[ID] < 0)
        ok = wb_fail(err, 1, _("%s:%d: no column is called id (or student, username, login, name)"),
                     path, csv.rows[0].line);
    ok = ok && check_ids(path, &csv, columns[ID], err);
    if (ok && book)
        news->warning = warn_of_names(path, &csv, columns);
    ok = ok && (!book || take_all(book, &csv, columns, news, err));
    gr_csv_free(&csv);
    return ok;
}

/* ---- the student of a path ------------------------------------------------------------------ */

static bool take_id(void *ctx, sqlite3_stmt *row) {
    gr_roster *roster = ctx;
    roster->listed = sqlite3_column_int(row, 1);
    return wb_strings_add(&roster->ids, gr_book_text(row, 0));
}

bool gr_roster_load(gr_book *book, gr_roster *roster, wb_error *err) {
    *roster = (gr_roster){.listed = false};
    return gr_book_each(
        book, err, take_id, roster,
        "SELECT id, (SELECT max(listed) FROM students) FROM students WHERE listed OR NOT "
        "(SELECT max(listed) FROM students) ORDER BY id",
        "");
}

void gr_roster_free(gr_roster *roster) {
    wb_strings_free(&roster->ids);
    roster->listed = false;
}

/* Returns how well a part of a path names a student. 2: it is the id. 1: it contains it as a
 * word. */
static int names_student(const char *part, size_t n, const char *id) {
    size_t len = strlen(id);
    if (len == n && strncasecmp(part, id, n) == 0)
        return 2;
    for (size_t i = 0; i + len <= n; i++)
        if (strncasecmp(part + i, id, len) == 0 &&
            (i == 0 || !isalnum((unsigned char)part[i - 1])) &&
            (i + len == n || !isalnum((unsigned char)part[i + len])))
            return 1;
    return 0;
}

/* Returns the student who fits a part of a path best, or -1. *other: one who fits as well. */
static long best_match(const gr_roster *roster, const char *part, size_t n, long *other) {
    long found = -1;
    size_t score = 0;
    *other = -1;
    for (size_t i = 0; i < roster->ids.n; i++) {
        int how = names_student(part, n, roster->ids.v[i]);
        /* prefer the longer id: "ada_b" contains "ada" */
        size_t its = how ? (size_t)how * 1000 + strlen(roster->ids.v[i]) : 0;
        if (its && its == score)
            *other = (long)i;
        if (its > score) {
            found = (long)i;
            score = its;
            *other = -1;
        }
    }
    return found;
}

/* Finds the last part of a path before `end`, without a submission's suffix. Returns its length. */
static size_t last_part(const char *path, size_t end, const char **part) {
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    *part = path + begin;
    size_t n = end - begin;
    static const char *const ends[] = {".cu", ".ipynb", ".cuh"};
    for (size_t i = 0; i < WB_COUNT(ends); i++) {
        size_t m = strlen(ends[i]);
        if (n > m && strncmp(*part + n - m, ends[i], m) == 0)
            return n - m;
    }
    return n;
}

static size_t without_slashes(const char *path, size_t n) {
    while (n > 0 && path[n - 1] == '/')
        n--;
    return n;
}

static char *any_name(const char *part, size_t n, const char *path, wb_error *err) {
    char *id = strndup(part, n);
    if (id && is_id(id))
        return id;
    wb_fail(err, 1, _("%s: '%s' can be no student's id; rename it"), path, id ? id : "");
    free(id);
    return NULL;
}

char *gr_roster_whose(const gr_roster *roster, const char *path, const char *lab, wb_error *err) {
    size_t end = without_slashes(path, strlen(path)), lab_len = strlen(lab);
    while (end > 0) {
        const char *part;
        size_t n = last_part(path, end, &part);
        long other, found = best_match(roster, part, n, &other);
        bool says_nothing =
            (n == lab_len && strncmp(part, lab, n) == 0) || (n <= 2 && strspn(part, ".") >= n);
        if (roster->listed && found >= 0 && other >= 0) {
            wb_fail(err, 1, _("%s may be %s's or %s's: name it by the one id"), path,
                    roster->ids.v[found], roster->ids.v[other]);
            return NULL;
        }
        if (roster->listed && found >= 0)
            return strdup(roster->ids.v[found]);
        if (!roster->listed && !says_nothing)
            return any_name(part, n, path, err);
        end = without_slashes(path, (size_t)(part - path));
    }
    wb_fail(err, 1,
            roster->listed ? _("%s names no student on the roster: no part of its name is an id")
                           : _("%s names no student"),
            path);
    return NULL;
}
