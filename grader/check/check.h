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

/* What the lab's own reference gave for the same inputs (warpbook-expect's file): the result arrays
 * one after the other, and then, in the same order, `count` doubles for each whose error is
 * measured by a magnitude. NULL data: the job's reference is one of those known here. */
typedef struct gr_given {
    const void *data;
    size_t bytes;
} gr_given;

/* outputs: the result arrays (outputs and inouts) one after another in the order of the arguments,
 * bytes in all. Judges every element. False when memory runs out or the size is not the job's. */
bool gr_check(const gr_job *job, uint32_t run, const void *outputs, size_t bytes, gr_given given,
              gr_verdict *verdict, wb_error *err);
/* own.c: the same of a job whose lab has a reference of its own. */
bool gr_check_own(const gr_job *job, uint32_t run, const void *outputs, gr_given given,
                  gr_verdict *verdict, wb_error *err);

/* An allowed error that any number meets; what is none does not. */
#define GR_ANY_NUMBER 1e300

/* One result array: what it should hold and how far off it may be. Private to grader/check. */
typedef struct gr_expected {
    const gr_job *job;
    const gr_job_arg *arg;
    const char *field;  /* of a struct, whose values alone are compared: "x"; or NULL */
    int64_t row_length; /* elements a row as a student would name them; 0: a plain array */
    bool column_major;
    double *value;   /* count of them */
    double *allowed; /* absolute error; NULL: exact */
    bool lab_allows; /* ... chosen by the lab; false: worked out of what rounding does */
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

/* How far rounding may take a sum from `sum`, whose terms' squares add up to `squares`, where no
 * value passes through more than `chain` additions.
 *
 * Each addition is off by at most u times its result T, so the error of any order is at most
 * u (|T_1| + ... + |T_n|) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2),
 * and as roundings go both ways it is likely a small multiple of u sqrt(T_1^2 + ... + T_n^2)
 * (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput.
 * 41, 2019). Of terms in random order the k-th partial sum of n squares to k^2 (sum / n)^2 + k
 * squares / n on average; added up over a chain this is chain (sum^2 / 3 + squares / 2). A single
 * rounding's standard deviation is 0.42 u T at most: five times u is twelve of those. Measured over
 * 10^6 sums of 2 to 10^5 terms and products of 2 to 4096, added from the front, the back, by
 * threads and in pairs, with and without fused multiply-add: at most 0.55 of the bound. */
double gr_rounding(gr_type type, int64_t chain, double sum, double squares);

/* gemm.c: value and allowed of C; missing is the result without beta C. */
bool gr_expect_gemm(const gr_job *job, uint32_t run, gr_expected *e, wb_error *err);

#endif
