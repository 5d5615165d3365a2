/* pages.h: feedback as files: a page for each student, and one for each lab for the teacher. */
#pragma once

#include "grader/feedback/view.h"

/* Writes files into the folder, which it makes. For each student with a result, a comment or
 * points: students/ID.html and students/ID.md. For the teacher: LAB.html and LAB.csv. Pages load
 * nothing from elsewhere, and no text of a submission is markup. *written: number of files. */
bool gr_pages_write(gr_book *book, const gr_view *views, size_t n, const char *folder,
                    size_t *written, wb_error *err);
