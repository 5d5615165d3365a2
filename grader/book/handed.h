/* handed.h: the files of a submission, kept in the book under the SHA-256 of their names and
 * contents. The grader always grades a copy of the kept files. */
#pragma once

#include "grader/book/book.h"

typedef struct gr_file {
    char *name; /* relative to the folder, or the file's own name */
    wb_buf data;
} gr_file;

/* A file or a folder. It is "unreadable" if the grader would refuse it: a link, not a regular file,
 * or too large. Then only its name and the reason are kept. */
typedef struct gr_handed {
    char *name; /* the last part of the path */
    bool folder;
    char *unreadable; /* a sentence, or NULL */
    gr_file *files;   /* in the order of their names */
    size_t n;
    char content[WB_SHA256_TEXT];
    int64_t at; /* newest modification time of the files, seconds since 1970 */
} gr_handed;

/* Reads the file or folder at the path. It opens each file once and follows no links. Returns false
 * with *err only if the path does not exist or memory runs out. */
bool gr_handed_read(const char *path, gr_handed *handed, wb_error *err);
void gr_handed_free(gr_handed *handed);

/* Store the files in the book, unless it has them; and load them. */
bool gr_handed_keep(gr_book *book, const gr_handed *handed, wb_error *err);
bool gr_handed_load(gr_book *book, const char *content, gr_handed *handed, wb_error *err);

/* Writes the files into a folder. Returns the path to grade, malloc'd. NULL with *err. */
char *gr_handed_write(const gr_handed *handed, const char *folder, wb_error *err);
