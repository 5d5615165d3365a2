/* book.h: a gradebook: one SQLite file with the students, what they handed in, every result and
 * what the teacher decided. Opened and asked here; what the tables mean is the other modules'.
 *
 * Each change is one transaction, on disk when the call returns: a process that is killed loses
 * nothing that it reported as kept. One connection, which threads use in turn (the caller's lock).
 */
#ifndef GRADER_BOOK_H
#define GRADER_BOOK_H

#include <sqlite3.h>
#include "runtime/base/base.h"

typedef struct gr_book {
    sqlite3 *db;
    char *path; /* as given, for messages */
} gr_book;

/* Opens FILE; `create` makes one where there is none. NULL with a sentence of its own for what is
 * missing, no gradebook, another version's, damaged, locked, or not to be written. A file that
 * is no sound gradebook is never written to. The caller closes. */
gr_book *gr_book_open(const char *path, bool create, wb_error *err);
void gr_book_close(gr_book *book); /* NULL is fine */

/* A statement with its parameters bound: `types` has a letter for each value that follows: s a text
 * (NULL: null; kept until the statement is finalised), i an int64_t, f a double, b a
 * const wb_buf * as a blob. NULL with *err. */
sqlite3_stmt *gr_book_query(gr_book *book, wb_error *err, const char *sql, const char *types, ...);
/* The next row: true while there is one; false at the end, with *failed set (and *err) where it is
 * an error that ended it. */
bool gr_book_row(gr_book *book, sqlite3_stmt *query, bool *failed, wb_error *err);
/* Runs a statement that gives no rows. */
bool gr_book_run(gr_book *book, wb_error *err, const char *sql, const char *types, ...);

/* Everything between them is kept or nothing. gr_book_end commits where ok, else rolls back, and
 * returns whether all is kept. */
bool gr_book_begin(gr_book *book, wb_error *err);
bool gr_book_end(gr_book *book, bool ok, wb_error *err);

/* A column's text, "" for null; valid until the next row. */
const char *gr_book_text(sqlite3_stmt *row, int column);

#endif
