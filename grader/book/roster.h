/* roster.h: the students of a gradebook: read from a CSV, and found by what a submission's path
 * says. */
#ifndef GRADER_BOOK_ROSTER_H
#define GRADER_BOOK_ROSTER_H

#include "grader/book/book.h"

/* What reading a roster did. */
typedef struct gr_roster_news {
    size_t added, changed, kept, missing; /* missing: of the book, and not in this roster */
    char *warning;                        /* two students of one name, or NULL; malloc'd */
} gr_roster_news;

/* Takes the students of a CSV into the book: one column with ids (id, student, login, ...), and
 * name, email, section where there are such. All of it or, with *err "FILE:LINE: ...", nothing: an
 * id that stands twice, is missing or can't name a file. Students of the book who are not in it
 * stay, and are no longer listed. Without a book (NULL) it is only looked whether it could be. */
bool gr_roster_read(gr_book *book, const char *path, gr_roster_news *news, wb_error *err);

/* Who is asked for by a path: the last part of it that is an id ("ada.cu", "ada/transpose.cu",
 * "ada_transpose.cu"); parts that are the lab's name say nothing. */
typedef struct gr_roster {
    wb_strings ids; /* sorted */
    bool listed;    /* there is a roster: nobody else may hand in */
} gr_roster;

bool gr_roster_load(gr_book *book, gr_roster *roster, wb_error *err);
void gr_roster_free(gr_roster *roster);
/* The id, malloc'd; without a roster any name will do. NULL with *err where it is nobody's, or more
 * than one student's. */
char *gr_roster_whose(const gr_roster *roster, const char *path, const char *lab, wb_error *err);

#endif
