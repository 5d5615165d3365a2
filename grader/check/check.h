/* check.h: compares the outputs of solve() with those of the lab's reference for the same inputs.
 * It runs in warpbook-check, a process without any code of the submission. */
#pragma once

#include "grader/job/job.h"

/* A property that all wrong elements share. */
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
    const char *name; /* for JSON */
    bool guess;       /* other facts about the run explain more */
    const char *words;
} gr_cause_words;
extern const gr_cause_words gr_causes[GR_CAUSES];

typedef struct gr_verdict {
    bool passed, unrepeatable; /* unrepeatable: a second run of the same input gave other bits */
    uint64_t wrong, total;     /* elements */
    double worst;              /* for real values: largest error / allowed error */
    char array[32];            /* the first wrong array, the sentence about it, its cause */
    char text[1000];
    gr_cause cause;
} gr_verdict;

/* The file of warpbook-expect for the same inputs: the result arrays in order, then `count` doubles
 * for each array whose errors are scaled by a magnitude. */
typedef struct gr_given {
    const void *data;
    size_t bytes;
} gr_given;

/* outputs: the result arrays (outputs and inouts) in the order of the arguments, `bytes` in all.
 * Judges every element. Returns false with *err if memory runs out or the size is not the job's. */
bool gr_check(const gr_job *job, uint32_t run, const void *outputs, size_t bytes, gr_given given,
              gr_verdict *verdict, wb_error *err);

/* An allowed error that every finite number meets, and NaN does not. */
#define GR_ANY_NUMBER 1e300

/* One result array and what is expected of it. Private to grader/check. */
typedef struct gr_expected {
    const gr_job *job;
    const gr_job_arg *arg;
    const char *field;  /* the struct's field whose values these are ("x"), or NULL */
    int64_t row_length; /* elements in a row, to name an element; 0: a plain array */
    const void *want;   /* `count` values of the argument's type */
    gr_bound bound;
    const char *magnitude; /* for GR_BY_CONDITION: `count` doubles, perhaps unaligned */
} gr_expected;

/* Compares `got` with *e and adds to the verdict. */
void gr_compare(const gr_expected *e, const void *got, gr_verdict *verdict);
/* Compares bits. `unchanged`: the array's content before solve(), or NULL. */
void gr_compare_bits(const gr_expected *e, const void *got, const void *unchanged,
                     gr_verdict *verdict);
