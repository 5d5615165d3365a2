/* check.h: whether what solve() left in its outputs is what the lab's reference gave for the same
 * inputs; lives in warpbook-check, a process that never saw anything of the submission. */
#ifndef GRADER_CHECK_H
#define GRADER_CHECK_H

#include "grader/job/job.h"

/* The property that all wrong elements share. */
typedef enum gr_cause {
    GR_CAUSE_UNKNOWN,
    GR_CAUSE_SOME_UNWRITTEN,
    GR_CAUSE_UNWRITTEN,
    GR_CAUSE_UNSET_MEMORY,
    GR_CAUSE_SAME_NUMBERS,
    GR_CAUSE_UNCHANGED,
    GR_CAUSE_NAN,
    GR_CAUSE_ZERO,
    GR_CAUSE_EDGES,
    GR_CAUSES
} gr_cause;

typedef struct gr_cause_words {
    const char *name; /* in JSON */
    bool guess;       /* what is known of the run says more */
    const char *words;
} gr_cause_words;
extern const gr_cause_words gr_causes[GR_CAUSES];

typedef struct gr_verdict {
    bool passed, unrepeatable; /* a second run of the same input gave other bits */
    uint64_t wrong, total;     /* elements */
    double worst;              /* largest error over what is allowed, of real values */
    char array[32];            /* the first one that is wrong, the sentence about it, its cause */
    char text[1000];
    gr_cause cause;
} gr_verdict;

/* What the lab's reference gave for the same inputs (warpbook-expect's file): the result arrays
 * one after the other, and then, in the same order, `count` doubles for each whose error is
 * measured by a magnitude. */
typedef struct gr_given {
    const void *data;
    size_t bytes;
} gr_given;

/* outputs: the result arrays (outputs and inouts) one after another in the order of the arguments,
 * bytes in all. Judges every element. False when memory runs out or the size is not the job's. */
bool gr_check(const gr_job *job, uint32_t run, const void *outputs, size_t bytes, gr_given given,
              gr_verdict *verdict, wb_error *err);

/* An allowed error that any number meets; what is none does not. */
#define GR_ANY_NUMBER 1e300

/* One result array: what it should hold and how far off it may be. Private to grader/check. */
typedef struct gr_expected {
    const gr_job *job;
    const gr_job_arg *arg;
    const char *field;  /* of a struct, whose values alone are compared: "x"; or NULL */
    int64_t row_length; /* elements a row as a student would name them; 0: a plain array */
    double *value;      /* count of them */
    double *allowed;    /* absolute error; NULL: exact */
    bool lab_allows;    /* ... chosen by the lab; false: worked out of what rounding does */
} gr_expected;

/* Compares got with *e and adds to the verdict. */
void gr_compare(const gr_expected *e, const void *got, gr_verdict *verdict);
/* Compares bit for bit; `unchanged` is the array's content before, or NULL. */
void gr_compare_bits(const gr_expected *e, const void *want, const void *got, const void *unchanged,
                     gr_verdict *verdict);

#endif
