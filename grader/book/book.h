/* book.h: a gradebook: one SQLite file with the students, their submissions, all results and the
 * teacher's decisions. This file opens it and runs statements; other modules know the tables.
 *
 * Each change is one transaction, on disk when the call returns. A killed process loses nothing
 * that it reported as kept. Threads share one connection under the caller's lock. */
#pragma once

#include <sqlite3.h>
#include "runtime/base/base.h"

typedef struct gr_book {
    sqlite3 *db;
    char *path; /* as given, for messages */
} gr_book;

/* Opens FILE; `create` makes it if it does not exist. Returns NULL with a different message for a
 * file that is missing, not a gradebook, of another version, damaged, locked, or read-only. It
 * never writes to a file that is not a sound gradebook. The caller closes the book. */
gr_book *gr_book_open(const char *path, bool create, wb_error *err);
void gr_book_close(gr_book *book); /* may be NULL */

/* Each runs a statement with bound parameters. `types` has a letter for each value that follows: s
 * a text (NULL: null), i an int64_t, f a double, b a const wb_buf * as a blob. False with *err. */
bool gr_book_run(gr_book *book, wb_error *err, const char *sql, const char *types, ...);
/* Takes each row. A callback that returns false ends it: memory ran out, or the row is not right.
 */
typedef bool gr_book_take(void *ctx, sqlite3_stmt *row);
bool gr_book_each(gr_book *book, wb_error *err, gr_book_take *take, void *ctx, const char *sql,
                  const char *types, ...);
/* Takes the first column of the only row. Without a row *number is unchanged, and *text is NULL.
 * The caller frees the text. */
bool gr_book_number(gr_book *book, wb_error *err, int64_t *number, const char *sql,
                    const char *types, ...);
bool gr_book_string(gr_book *book, wb_error *err, char **text, const char *sql, const char *types,
                    ...);

/* Keep all statements between them, or none. gr_book_end commits if `ok`, and returns true if it
 * did. */
bool gr_book_begin(gr_book *book, wb_error *err);
bool gr_book_end(gr_book *book, bool ok, wb_error *err);

/* Returns a column's text, "" for null. Valid until the next row. */
const char *gr_book_text(sqlite3_stmt *row, int column);
