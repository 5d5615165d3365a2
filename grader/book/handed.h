/* handed.h: the files of a submission as they lay there, kept in the book under the SHA-256 of
 * their names and contents: what is graded is a copy of what is kept, now and in a year. */
#ifndef GRADER_BOOK_HANDED_H
#define GRADER_BOOK_HANDED_H

#include "grader/book/book.h"

typedef struct gr_file {
    char *name; /* relative to the folder, or the file's own */
    wb_buf data;
} gr_file;

/* A file, or the folder of that name; "unreadable" where the grader would refuse it (a link, no
 * regular file, too large): then its name and why are all that is kept. */
typedef struct gr_handed {
    char *name; /* the last part of the path */
    bool folder;
    char *unreadable; /* a sentence, or NULL */
    gr_file *files;   /* in the order of their names */
    size_t n;
    char content[WB_SHA256_TEXT];
    int64_t at; /* when the newest of the files was written, seconds since 1970 */
} gr_handed;

/* Reads what lies at the path, each file opened once and by no link. False with *err only where
 * nothing is there or memory runs out. */
bool gr_handed_read(const char *path, gr_handed *handed, wb_error *err);
void gr_handed_free(gr_handed *handed);

/* Into the book, unless they are there, and out of it again. */
bool gr_handed_keep(gr_book *book, const gr_handed *handed, wb_error *err);
bool gr_handed_load(gr_book *book, const char *content, gr_handed *handed, wb_error *err);

/* Writes them into a folder of the caller's; the path to grade, malloc'd. NULL with *err. */
char *gr_handed_write(const gr_handed *handed, const char *folder, wb_error *err);

#endif
