/* check.c: one function a reference; each works out what the outputs should hold. */
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

static bool out_of_memory(const results *r) {
    return wb_fail(r->err, 1, "out of memory while checking");
}

double gr_rounding(gr_type type, int64_t chain, double sum, double squares) {
    enum { LIKELY = 5 };
    double u = type == GR_DOUBLE ? 0x1p-53 : 0x1p-24;
    return LIKELY * u * sqrt((double)chain * (sum * sum / 3 + squares / 2));
}

static double element(const void *data, gr_type type, int64_t i) {
    return type == GR_DOUBLE ? ((const double *)data)[i] : ((const float *)data)[i];
}

/* A sum of n terms, `step` apart, and how far off a correct kernel may be: gr_rounding's bound for
 * a chain of all terms, but of no more than LONGEST. One thread that adds more than that in a row
 * is no algorithm to measure others by. Nothing is allowed where the terms are exact. */
static void expect_sum(const results *r, const void *data, gr_type type, int64_t n, int64_t step,
                       double *value, double *allowed) {
    enum { LONGEST = 1 << 17 };
    long double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = element(data, type, i * step);
        sum += x;
        squares += (long double)x * x;
    }
    *value = (double)sum;
    *allowed = r->job->values == GR_EXACT
                   ? 0
                   : gr_rounding(type, n < LONGEST ? n : LONGEST, (double)sum, (double)squares);
}

static bool explain_sums(const gr_expected *e, const void *got, const void *lines, char *hint) {
    return gr_hint_sums(e, got, lines, hint);
}

static bool compare_sums(const results *r, const char *name, double *value, double *allowed,
                         const gr_lines *lines) {
    gr_expected e = {.job = r->job,
                     .arg = gr_job_find(r->job, name),
                     .value = value,
                     .allowed = r->job->values == GR_EXACT ? NULL : allowed,
                     .explain = explain_sums,
                     .explain_ctx = lines};
    gr_compare(&e, got(r, name), r->verdict);
    return true;
}

static bool check_reduce(const results *r) {
    const gr_job_arg *in = gr_job_find(r->job, "in");
    void *data = before(r, "in");
    double value, allowed;
    if (!data)
        return out_of_memory(r);
    expect_sum(r, data, in->type, in->count, 1, &value, &allowed);
    gr_lines all = {.data = data, .type = in->type, .n = in->count, .step = 1};
    compare_sums(r, "out", &value, &allowed, &all);
    free(data);
    return true;
}

static bool check_sums(const results *r) {
    const gr_job_arg *m = gr_job_find(r->job, "m");
    int64_t rows = gr_job_size(r->job, "rows"), cols = gr_job_size(r->job, "cols");
    size_t most = (size_t)(rows > cols ? rows : cols) + 1;
    char *data = before(r, "m");
    double *value = malloc(most * sizeof *value), *allowed = malloc(most * sizeof *allowed);
    bool ok = data && value && allowed;
    gr_lines in_rows = {data, m->type, cols, 1, cols, NULL, cols, "row_sums", "col_sums"};
    gr_lines in_columns = {data, m->type, rows, cols, 1, &in_rows, rows, "col_sums", "row_sums"};
    in_rows.others = &in_columns;
    size_t size = gr_type_size(m->type);
    for (int64_t i = 0; ok && i < rows; i++)
        expect_sum(r, data + (size_t)(i * cols) * size, m->type, cols, 1, &value[i], &allowed[i]);
    ok = ok && compare_sums(r, "row_sums", value, allowed, &in_rows);
    for (int64_t j = 0; ok && j < cols; j++)
        expect_sum(r, data + (size_t)j * size, m->type, rows, cols, &value[j], &allowed[j]);
    ok = ok && compare_sums(r, "col_sums", value, allowed, &in_columns);
    free(data);
    free(value);
    free(allowed);
    return ok || out_of_memory(r);
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
    static const struct {
        const char *name;
        bool (*check)(const results *r);
    } checks[] = {{"sums", check_sums}, {"reduce", check_reduce}, {"gemm", check_gemm}};
    *verdict = (gr_verdict){0};
    size_t needed = 0;
    for (int i = 0; i < job->n_args; i++)
        needed += gr_is_result(job->args[i].role) ? gr_job_arg_bytes(&job->args[i]) : 0;
    if (needed != bytes)
        return wb_fail(err, 1, "the outputs hold %zu bytes; %zu were expected", bytes, needed);
    if (job->own)
        return gr_check_own(job, run, outputs, given, verdict, err);
    results r = {job, run, outputs, verdict, err};
    for (size_t i = 0; i < WB_COUNT(checks); i++)
        if (strcmp(checks[i].name, job->reference) == 0) {
            bool ok = checks[i].check(&r);
            verdict->passed = ok && verdict->wrong == 0;
            return ok;
        }
    return wb_fail(err, 1, "there is no reference \"%s\"", job->reference);
}
