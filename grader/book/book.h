/* book.h: a gradebook: one SQLite file with the students, their submissions, all results and the
 * teacher's decisions. This file opens it and runs statements; other modules know the tables.
 *
 * Each change is one transaction, on disk when the call returns. A killed process loses nothing
 * that it reported as kept. Threads share one connection under the caller's lock. */
#ifndef GRADER_BOOK_H
#define GRADER_BOOK_H

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

/* Returns a statement with bound parameters. `types` has a letter for each value that follows: s a
 * text (NULL: null; must live until the statement is finalised), i an int64_t, f a double, b a
 * const wb_buf * as a blob. NULL with *err. */
sqlite3_stmt *gr_book_query(gr_book *book, wb_error *err, const char *sql, const char *types, ...);
/* Steps to the next row. Returns false at the end, and sets *failed and *err if an error ended
 * it. */
bool gr_book_row(gr_book *book, sqlite3_stmt *query, bool *failed, wb_error *err);
/* Runs a statement without rows. */
bool gr_book_run(gr_book *book, wb_error *err, const char *sql, const char *types, ...);

/* Keep all statements between them, or none. gr_book_end commits if `ok`, and returns true if it
 * did. */
bool gr_book_begin(gr_book *book, wb_error *err);
bool gr_book_end(gr_book *book, bool ok, wb_error *err);

/* Returns a column's text, "" for null. Valid until the next row. */
const char *gr_book_text(sqlite3_stmt *row, int column);

#endif
