/* check.c: products, and whose outputs they are. */
#include "grader/check/hints.h"
#include "grader/job/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The outputs of the run, and the inputs it had. */
typedef struct results {
    const gr_job *job;
    uint32_t run;
    const char *outputs;
    gr_verdict *verdict;
    wb_error *err;
} results;

static const void *got(const results *r, const char *name) {
    size_t at = 0;
    for (int i = 0; i < r->job->n_args; i++) {
        const gr_job_arg *arg = &r->job->args[i];
        if (strcmp(arg->name, name) == 0)
            break;
        at += gr_is_result(arg->role) ? gr_job_arg_bytes(arg) : 0;
    }
    return r->outputs + at;
}

/* What the argument held before; malloc'd. */
static void *before(const results *r, const char *name) {
    const gr_job_arg *arg = gr_job_find(r->job, name);
    void *data = malloc(gr_job_arg_bytes(arg) + 1);
    if (data)
        gr_input_fill(r->job, (int)(arg - r->job->args), r->run, data);
    return data;
}

double gr_rounding(gr_type type, int64_t chain, double sum, double squares) {
    enum { LIKELY = 5 };
    double u = type == GR_DOUBLE ? 0x1p-53 : 0x1p-24;
    return LIKELY * u * sqrt((double)chain * (sum * sum / 3 + squares / 2));
}

static bool explain_gemm(const gr_expected *e, const void *got, const void *ctx, char *hint) {
    void *a = before(ctx, "a"), *b = before(ctx, "b"), *c = before(ctx, "c");
    bool found = a && b && c && gr_hint_gemm(e, got, a, b, c, hint);
    free(a);
    free(b);
    free(c);
    return found;
}

static bool check_gemm(const results *r) {
    gr_expected e = {.job = r->job,
                     .arg = gr_job_find(r->job, "c"),
                     .row_length = gr_job_size(r->job, r->job->column_major ? "m" : "n"),
                     .column_major = r->job->column_major,
                     .explain = explain_gemm,
                     .explain_ctx = r};
    bool ok = gr_expect_gemm(r->job, r->run, &e, r->err);
    if (ok)
        gr_compare(&e, got(r, "c"), r->verdict);
    free(e.value);
    free(e.allowed);
    free(e.missing);
    return ok;
}

bool gr_check(const gr_job *job, uint32_t run, const void *outputs, size_t bytes, gr_given given,
              gr_verdict *verdict, wb_error *err) {
    *verdict = (gr_verdict){0};
    size_t needed = 0;
    for (int i = 0; i < job->n_args; i++)
        needed += gr_is_result(job->args[i].role) ? gr_job_arg_bytes(&job->args[i]) : 0;
    if (needed != bytes)
        return wb_fail(err, 1, "the outputs hold %zu bytes; %zu were expected", bytes, needed);
    if (job->own)
        return gr_check_own(job, run, outputs, given, verdict, err);
    results r = {job, run, outputs, verdict, err};
    bool ok = check_gemm(&r);
    verdict->passed = ok && verdict->wrong == 0;
    return ok;
}
