/* submission.h: what a student handed in: a .cu file, a folder of them, or a notebook. */
#ifndef GRADER_SUBMISSION_H
#define GRADER_SUBMISSION_H

#include "grader/lab/lab.h"

enum { GR_MAX_SOURCE = 1 << 20 }; /* bytes in all */

typedef struct gr_submission {
    char *name;   /* as given */
    char *folder; /* absolute; headers may be included from it; NULL: none */
    char *source; /* one translation unit with #line marks, without the driver */
    char *others; /* a notebook's code cells that are not graded; NULL: none */
    bool has_headers;
} gr_submission;

/* False, with a message of its own for each kind of what is no submission: missing, not a regular
 * file, empty, binary, too large, a notebook without a cell for the lab. */
bool gr_submission_read(const char *path, const gr_lab *lab, gr_submission *submission,
                        wb_error *err);
void gr_submission_free(gr_submission *submission);

/* Finds a quoted name in the compiler's text that a cell defines which is not graded. */
bool gr_submission_elsewhere(const gr_submission *submission, const char *words, char name[64]);

/* The source with the driver behind it that calls solve() with an array of pointers to the
 * arguments: `extern "C" void warpbook_solve(void **)`. Diagnostics in the driver name the file
 * GR_DRIVER_FILE: there solve() itself is wrong. malloc'd. */
#define GR_DRIVER_FILE "call_of_solve"
char *gr_submission_unit(const gr_submission *submission, const gr_lab *lab);

#endif
