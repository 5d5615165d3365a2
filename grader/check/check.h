/* check.h: whether what solve() left in its outputs is right. Works out the expected results from
 * the job's seed; lives in warpbook-check, a process that never saw anything of the submission. */
#ifndef GRADER_CHECK_H
#define GRADER_CHECK_H

#include "grader/job/job.h"

typedef struct gr_verdict {
    bool passed;
    uint64_t wrong, total; /* elements */
    double worst;          /* largest error over what is allowed, of real values */
    char text[1000];       /* what is wrong, in words; "" when passed */
    int guess_at;          /* where in text a guess at the cause begins; 0: nowhere */
} gr_verdict;

/* outputs: the result arrays (outputs and inouts) one after another in the order of the arguments,
 * bytes in all. Judges every element. False when memory runs out or the size is not the job's. */
bool gr_check(const gr_job *job, uint32_t run, const void *outputs, size_t bytes,
              gr_verdict *verdict, wb_error *err);

/* One result array: what it should hold and how far off it may be. Private to grader/check. */
typedef struct gr_expected {
    const gr_job *job;
    const gr_job_arg *arg;
    int64_t row_length; /* elements a row as a student would name them; 0: a plain array */
    bool column_major;
    double *value;   /* count of them */
    double *allowed; /* absolute error; NULL: exact */
    double *missing; /* what is left of value without a term students forget; or NULL */
    const char *missing_text;
    /* What the wrong result equals, as a sentence with a space before it (hints.h); or NULL. */
    bool (*explain)(const struct gr_expected *e, const void *got, const void *ctx, char *hint);
    const void *explain_ctx;
} gr_expected;

/* Compares got with *e and adds to the verdict. */
void gr_compare(const gr_expected *e, const void *got, gr_verdict *verdict);
/* Compares bit for bit; `unchanged` is the array's content before, or NULL. */
void gr_compare_bits(const gr_expected *e, const void *want, const void *got, const void *unchanged,
                     gr_verdict *verdict);

/* gemm.c: value and allowed of C; missing is the result without beta C. */
bool gr_expect_gemm(const gr_job *job, uint32_t run, gr_expected *e, wb_error *err);

#endif
