/* book.c: the file, its tables, and error messages for SQLite's errors. */
#include "grader/book/book.h"
#include "runtime/base/scoped.h"

#include <errno.h>
#include <unistd.h>

enum {
    APPLICATION = 0x57426772, /* "WBgr"; identifies a gradebook among SQLite files */
    VERSION = 1,              /* of the tables; a book of another version is refused */
    PATIENCE_MS = 20000,      /* waits for another process that writes */
};

/* `at` and `due` are seconds since 1970. In results, `of` identifies the lab and the device
 * (digest.h). A null in marks: the teacher decided nothing. */
static const char schema[] =
    "CREATE TABLE course(name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
    "CREATE TABLE students(id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL,"
    " section TEXT NOT NULL, listed INTEGER NOT NULL);"
    "CREATE TABLE labs(lab TEXT PRIMARY KEY, title TEXT NOT NULL, path TEXT NOT NULL,"
    " of TEXT NOT NULL, max_score REAL NOT NULL, due INTEGER, grace INTEGER NOT NULL DEFAULT 0,"
    " penalty REAL NOT NULL DEFAULT 0, days INTEGER NOT NULL DEFAULT -1,"
    " best INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE files(content TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY(content, name));"
    "CREATE TABLE submissions(id INTEGER PRIMARY KEY, student TEXT NOT NULL REFERENCES students,"
    " lab TEXT NOT NULL REFERENCES labs, content TEXT NOT NULL, path TEXT NOT NULL,"
    " at INTEGER NOT NULL, UNIQUE(student, lab, content));"
    "CREATE TABLE results(id INTEGER PRIMARY KEY,"
    " submission INTEGER NOT NULL REFERENCES submissions, of TEXT NOT NULL, seed TEXT NOT NULL,"
    " device TEXT NOT NULL, version TEXT NOT NULL, at INTEGER NOT NULL, seconds REAL NOT NULL,"
    " score REAL NOT NULL, max_score REAL NOT NULL, status TEXT NOT NULL, report TEXT NOT NULL);"
    "CREATE INDEX results_of ON results(submission, id);"
    "CREATE TABLE marks(student TEXT NOT NULL REFERENCES students, lab TEXT NOT NULL REFERENCES"
    " labs, points REAL, comment TEXT, extension INTEGER, PRIMARY KEY(student, lab));"
    /* log of the teacher's decisions, so that a later one loses no earlier one */
    "CREATE TABLE decisions(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, student TEXT NOT NULL,"
    " lab TEXT NOT NULL, what TEXT NOT NULL);";

/* Turns SQLite's last error into a message for a teacher. Returns false. */
static bool gr_book_fail(gr_book *book, wb_error *err) {
    int code = sqlite3_errcode(book->db) & 0xff, system = sqlite3_system_errno(book->db);
    const char *path = book->path;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return wb_fail(err, code,
                       _("%s is locked by another program that is writing to it; nothing was "
                         "changed: end that one, and call again"),
                       path);
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT)))
        return wb_fail(err, code,
                       _("%s can't grow: the disk is full. Its content is safe: make room, and "
                         "repeat the call"),
                       path);
    if (code == SQLITE_CORRUPT)
        return wb_fail(err, code,
                       _("%s is damaged (%s). It is left as it is: put back a copy of it, or save "
                         "what can be read with   sqlite3 %s .recover"),
                       path, sqlite3_errmsg(book->db), path);
    if (code == SQLITE_NOTADB)
        return wb_fail(err, code, _("%s is no gradebook (no SQLite file); it is left as it is"),
                       path);
    if (code == SQLITE_READONLY || code == SQLITE_PERM || code == SQLITE_CANTOPEN)
        return wb_fail(err, code, _("%s, or the folder it is in, can't be written to"), path);
    return wb_fail(err, code ? code : 1, "%s: %s%s%s", path, sqlite3_errmsg(book->db),
                   system ? ": " : "", system ? strerror(system) : "");
}

/* ---- statements ----------------------------------------------------------------------------- */

static int bind_one(sqlite3_stmt *s, int at, char type, va_list *values) {
    if (type == 'i')
        return sqlite3_bind_int64(s, at, va_arg(*values, int64_t));
    if (type == 'f')
        return sqlite3_bind_double(s, at, va_arg(*values, double));
    if (type == 'b') {
        const wb_buf *blob = va_arg(*values, const wb_buf *);
        return sqlite3_bind_blob64(s, at, blob->data ? blob->data : "", blob->len, SQLITE_STATIC);
    }
    return sqlite3_bind_text(s, at, va_arg(*values, const char *), -1, SQLITE_STATIC);
}

static sqlite3_stmt *prepare(gr_book *book, wb_error *err, const char *sql, const char *types,
                             va_list *values) {
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(book->db, sql, -1, &s, NULL);
    for (int i = 0; code == SQLITE_OK && types[i]; i++)
        code = bind_one(s, i + 1, types[i], values);
    if (code == SQLITE_OK)
        return s;
    gr_book_fail(book, err);
    sqlite3_finalize(s);
    return NULL;
}

/* Runs a statement and calls row(ctx, statement) for each row until it returns false. */
static bool run(gr_book *book, wb_error *err, gr_book_take *take, void *ctx, const char *sql,
                const char *types, va_list *values) {
    if (err)
        err->code = 0;
    sqlite3_stmt *s = prepare(book, err, sql, types, values);
    bool ok = s;
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(s)) == SQLITE_ROW)
        ok = take(ctx, s);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        ok = gr_book_fail(book, err);
    else if (s && !ok && err && !err->code)
        wb_fail(err, 1, _("out of memory, or %s holds what does not belong together"), book->path);
    sqlite3_finalize(s);
    return ok;
}

#define RUN(take, ctx)                                                                             \
    ({                                                                                             \
        va_list values;                                                                            \
        va_start(values, types);                                                                   \
        bool done = run(book, err, take, ctx, sql, types, &values);                                \
        va_end(values);                                                                            \
        done;                                                                                      \
    })

bool gr_book_each(gr_book *book, wb_error *err, gr_book_take *take, void *ctx, const char *sql,
                  const char *types, ...) {
    return RUN(take, ctx);
}

static bool take_nothing(void *ctx, sqlite3_stmt *row) {
    (void)ctx;
    (void)row;
    return true;
}

bool gr_book_run(gr_book *book, wb_error *err, const char *sql, const char *types, ...) {
    return RUN(take_nothing, NULL);
}

static bool take_number(void *ctx, sqlite3_stmt *row) {
    *(int64_t *)ctx = sqlite3_column_int64(row, 0);
    return true;
}

bool gr_book_number(gr_book *book, wb_error *err, int64_t *number, const char *sql,
                    const char *types, ...) {
    return RUN(take_number, number);
}

static bool take_string(void *ctx, sqlite3_stmt *row) {
    char **text = ctx;
    free(*text);
    return (*text = strdup(gr_book_text(row, 0)));
}

bool gr_book_string(gr_book *book, wb_error *err, char **text, const char *sql, const char *types,
                    ...) {
    *text = NULL;
    return RUN(take_string, text);
}

bool gr_book_begin(gr_book *book, wb_error *err) {
    return gr_book_run(book, err, "BEGIN IMMEDIATE", "");
}

bool gr_book_end(gr_book *book, bool ok, wb_error *err) {
    if (ok && gr_book_run(book, err, "COMMIT", ""))
        return true;
    if (!sqlite3_get_autocommit(book->db)) /* after a full disk it may be rolled back already */
        gr_book_run(book, NULL, "ROLLBACK", "");
    return false;
}

const char *gr_book_text(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool check_whole(gr_book *book, wb_error *err) {
    WB_SCOPED char *text = NULL;
    if (!gr_book_string(book, err, &text, "PRAGMA quick_check(1)", "") || !text)
        return false;
    const char *line = strchr(text, '\n');
    const char *found = line ? line + 1 : text; /* the line after "*** in database main ***" */
    return strcmp(found, "ok") == 0 ||
           wb_fail(err, SQLITE_CORRUPT,
                   _("%s is damaged (%.300s). It is left as it is: put back a copy of it, or save "
                     "what can be read with   sqlite3 %s .recover"),
                   book->path, found, book->path);
}

static bool make_tables(gr_book *book, wb_error *err) {
    WB_SCOPED char *sql =
        wb_format("BEGIN IMMEDIATE; %s PRAGMA application_id=%d; PRAGMA user_version=%d; "
                  "COMMIT",
                  schema, APPLICATION, VERSION);
    return sql &&
           (sqlite3_exec(book->db, sql, NULL, NULL, NULL) == SQLITE_OK || gr_book_fail(book, err));
}

static bool check_version(gr_book *book, wb_error *err) {
    int64_t application, version;
    if (!gr_book_number(book, err, &application, "PRAGMA application_id", "") ||
        !gr_book_number(book, err, &version, "PRAGMA user_version", ""))
        return false;
    if (application != APPLICATION)
        return wb_fail(err, 1,
                       _("%s is no gradebook, but another program's SQLite file; it is left "
                         "as it is"),
                       book->path);
    if (version != VERSION)
        return wb_fail(
            err, 1,
            _("%s is a gradebook of %s Warpbook (its format is %lld, this one's %d); it "
              "is left as it is: open it with that one, `warpbook book export`, and begin "
              "a new one here"),
            book->path, version < VERSION ? _("an older") : _("a newer"), (long long)version,
            VERSION);
    return true;
}

/* Sets up the connection. Makes the tables in an empty file, which a killed program may have
 * left. */
static bool prepare_file(gr_book *book, bool create, wb_error *err) {
    sqlite3_busy_timeout(book->db, PATIENCE_MS);
    /* a rollback journal works on network file systems, and each commit is on disk */
    if (sqlite3_exec(book->db, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;", NULL, NULL,
                     NULL) != SQLITE_OK)
        return gr_book_fail(book, err);
    int64_t pages, version;
    if (!gr_book_number(book, err, &pages, "PRAGMA page_count", "") ||
        !gr_book_number(book, err, &version, "PRAGMA user_version", ""))
        return false;
    if (pages == 0 && !create)
        return wb_fail(err, 1, _("%s is no gradebook: it is empty"), book->path);
    if (pages == 0 && version == 0 && !make_tables(book, err)) {
        if (sqlite3_errcode(book->db) != SQLITE_ERROR)
            return false;
        sqlite3_exec(book->db, "ROLLBACK", NULL, NULL,
                     NULL); /* another call made them at the same time */
    }
    return check_version(book, err) && check_whole(book, err);
}

gr_book *gr_book_open(const char *path, bool create, wb_error *err) {
    if (!create && access(path, F_OK) != 0) {
        wb_fail(err, 1,
                _("there is no gradebook %s: `warpbook book roster` or `warpbook grade "
                  "--book` makes one"),
                path);
        return NULL;
    }
    gr_book *book = calloc(1, sizeof *book);
    if (!book || !(book->path = strdup(path))) {
        free(book);
        wb_fail(err, 1, _("out of memory"));
        return NULL;
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    bool ok = sqlite3_open_v2(path, &book->db, flags, NULL) == SQLITE_OK ||
              (book->db ? gr_book_fail(book, err) : wb_fail(err, 1, _("out of memory")));
    ok = ok && prepare_file(book, create, err);
    if (ok)
        return book;
    gr_book_close(book);
    return NULL;
}

void gr_book_close(gr_book *book) {
    if (!book)
        return;
    sqlite3_close_v2(book->db);
    WB_FREE(book->path, book);
}
