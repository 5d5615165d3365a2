/* roster.h: the students of a gradebook: reads a roster, and finds the student of a path. */
#pragma once

#include "grader/book/book.h"

/* The effect of reading a roster. */
typedef struct gr_roster_news {
    size_t added, changed, kept, missing; /* missing: in the book, but not in this roster */
    char *warning; /* two students share a name; or NULL. The caller frees it. */
} gr_roster_news;

/* Takes the students of a CSV into the book. It needs a column of ids (id, student, login, ...),
 * and takes name, email and section if present. It takes all rows or none: *err is "FILE:LINE: ..."
 * if an id is missing, repeated, or no file name. Students who are not in the CSV stay in the book,
 * unlisted. book NULL: only checks the CSV. */
bool gr_roster_read(gr_book *book, const char *path, gr_roster_news *news, wb_error *err);

/* Finds the student of a path: the last part that is an id ("ada.cu", "ada/transpose.cu",
 * "ada_transpose.cu"). A part that is the lab's name is skipped. */
typedef struct gr_roster {
    wb_strings ids; /* sorted */
    bool listed;    /* there is a roster, so only listed students may hand in */
} gr_roster;

bool gr_roster_load(gr_book *book, gr_roster *roster, wb_error *err);
void gr_roster_free(gr_roster *roster);
/* Returns the student's id, which the caller frees. Without a roster, any name is an id. NULL with
 * *err if the path names nobody, or several students. */
char *gr_roster_whose(const gr_roster *roster, const char *path, const char *lab, wb_error *err);
