/* pages.h: the class on paper: a page a student, a page a lab for the teacher. */
#ifndef GRADER_FEEDBACK_PAGES_H
#define GRADER_FEEDBACK_PAGES_H

#include "grader/feedback/view.h"

/* Writes into the folder (made if it is not there) students/ID.html and students/ID.md of each
 * student who has a result, a comment or points, and LAB.html and LAB.csv, which are the teacher's.
 * Nothing in them comes from elsewhere, and nothing of a submission is markup. *written counts
 * files. */
bool gr_pages_write(gr_book *book, const gr_view *views, size_t n, const char *folder,
                    size_t *written, wb_error *err);

#endif
