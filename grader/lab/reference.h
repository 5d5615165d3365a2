/* reference.h: the kinds of work the grader knows the right answer of. A lab names one of them;
 * this table says what its solve() takes. The answers themselves are worked out in grader/check,
 * in a process of its own. */
#ifndef GRADER_REFERENCE_H
#define GRADER_REFERENCE_H

#include "grader/lab/types.h"

/* How the inputs of a test are filled; of a lab with a reference of its own, the number of one of
 * its sets of values. */
typedef enum gr_values {
    GR_EXACT, /* integers small enough that every order of additions is exact */
    GR_REAL,  /* offset + scale * uniform in [-1, 1) */
    GR_VALUES
} gr_values;
extern const char *const gr_values_names[GR_VALUES];

typedef struct gr_reference_arg {
    const char *name;
    gr_role role;
    const char *count; /* arrays: elements, in the names of the sizes */
} gr_reference_arg;

typedef struct gr_reference {
    const char *name;
    const char *does;                   /* one sentence */
    gr_reference_arg args[GR_MAX_ARGS]; /* name NULL ends the list */
    unsigned types;                     /* bits 1 << gr_type: of its arrays and scalars */
    unsigned values;                    /* bits 1 << gr_values */
} gr_reference;

/* That of labs with a reference.cu or .cpp of their own: in the name of a job, and no more. */
#define GR_OWN_REFERENCE "own"
extern const gr_reference gr_own_reference;

extern const gr_reference gr_references[];
extern const size_t gr_n_references;
const gr_reference *gr_reference_find(const char *name); /* NULL: none of that name */

#endif
