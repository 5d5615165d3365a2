/* submission.h: a student's submission: a .cu file, a folder of them, or a notebook. */
#pragma once

#include <jansson.h>
#include "grader/lab/lab.h"

enum { GR_MAX_SOURCE = 1 << 20 }; /* bytes in total */

typedef struct gr_submission {
    char *name;     /* as given */
    char *folder;   /* absolute, for including headers; or NULL */
    char *source;   /* one translation unit with #line marks, without the driver */
    char *others;   /* the notebook's other code cells, or NULL */
    size_t n_cells; /* the notebook's cells for this lab; the last one is graded */
} gr_submission;

/* Returns false with a different message for each kind of invalid submission: missing, not a
 * regular file, empty, binary, too large, or a notebook without a cell for the lab. */
bool gr_submission_read(const char *path, const gr_lab *lab, gr_submission *submission,
                        wb_error *err);
void gr_submission_free(gr_submission *submission);

/* Returns the source of a notebook's cell, which is a string or an array of lines. The caller frees
 * it. */
char *gr_cell_source(const json_t *cell);

/* Finds a quoted name in the compiler's message that another cell of the notebook defines. */
bool gr_submission_elsewhere(const gr_submission *submission, const char *words, char name[64]);

/* Returns the source with a driver that calls solve() with an array of pointers to the arguments:
 * `extern "C" void warpbook_solve(void **)`. A diagnostic in file GR_DRIVER_FILE means that
 * solve()'s signature is wrong. The caller frees it. */
#define GR_DRIVER_FILE "call_of_solve"
char *gr_submission_unit(const gr_submission *submission, const gr_lab *lab);
