/* The checker: right results pass in any order of additions, every way of being wrong is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/check/check.h"
#include "grader/job/input.h"

/* Parses a lab's case the short way: reference, type, values and sizes. */
static gr_job make_job(const char *reference, gr_type type, gr_values values, const char *sizes) {
    const gr_reference *ref = gr_reference_find(reference);
    gr_job job = {.element = type, .values = values, .scale = 1, .seed = 99, .stream = 4};
    gr_vars vars = {.n = 0};
    snprintf(job.reference, sizeof job.reference, "%s", reference);
    for (; job.n_args < GR_MAX_ARGS && ref->args[job.n_args].name; job.n_args++) {
        gr_job_arg *arg = &job.args[job.n_args];
        snprintf(arg->name, sizeof arg->name, "%s", ref->args[job.n_args].name);
        arg->role = ref->args[job.n_args].role;
        arg->type = arg->role == GR_SIZE ? GR_INT : type;
        arg->scalar = strcmp(arg->name, "alpha") == 0 ? 2 : -1;
        if (arg->role != GR_SIZE)
            continue;
        char key[40];
        snprintf(key, sizeof key, "%s=", arg->name);
        arg->count = atoll(strstr(sizes, key) + strlen(key));
        vars.names[vars.n] = arg->name;
        vars.values[vars.n++] = arg->count;
    }
    for (int i = 0; i < job.n_args; i++)
        if (gr_is_array(job.args[i].role))
            assert_true(gr_expr(ref->args[i].count, &vars, &job.args[i].count, NULL));
    return job;
}

static void *input(const gr_job *job, const char *name) {
    const gr_job_arg *arg = gr_job_find(job, name);
    void *data = malloc(gr_job_arg_bytes(arg) + 1);
    gr_input_fill(job, (int)(arg - job->args), 0, data);
    return data;
}

static gr_verdict check(const gr_job *job, const void *out, size_t bytes) {
    gr_verdict verdict;
    wb_error err = {0};
    if (!gr_check(job, 0, out, bytes, (gr_given){NULL, 0}, &verdict, &err))
        fail_msg("%s", err.text);
    return verdict;
}

static void expect_pass(const gr_job *job, const void *out, size_t bytes) {
    gr_verdict v = check(job, out, bytes);
    if (!v.passed)
        fail_msg("refused: %s", v.text);
}

static void expect_words(const gr_job *job, const void *out, size_t bytes, const char *words) {
    gr_verdict v = check(job, out, bytes);
    assert_false(v.passed);
    assert_true(v.wrong > 0);
    if (!strstr(v.text, words))
        fail_msg("expected ...%s..., got: %s", words, v.text);
}

static void set(void *data, gr_type type, int64_t i, double v) {
    if (type == GR_DOUBLE)
        ((double *)data)[i] = v;
    else
        ((float *)data)[i] = (float)v;
}

static double get(const void *data, gr_type type, int64_t i) {
    return type == GR_DOUBLE ? ((const double *)data)[i] : ((const float *)data)[i];
}

/* C as a plain loop in the job's precision computes it, into a fresh array. */
static void *plain_gemm(const gr_job *job, bool with_c) {
    int64_t m = gr_job_size(job, "m"), n = gr_job_size(job, "n"), k = gr_job_size(job, "k");
    gr_type type = job->element;
    bool column = job->column_major;
    void *a = input(job, "a"), *b = input(job, "b"), *c = input(job, "c");
    double alpha = gr_job_find(job, "alpha")->scalar, beta = gr_job_find(job, "beta")->scalar;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            int64_t at = column ? j * m + i : i * n + j;
            for (int64_t p = 0; p < k; p++) {
                double product = get(a, type, column ? p * m + i : i * k + p) *
                                 get(b, type, column ? j * k + p : p * n + j);
                sum = type == GR_FLOAT ? (float)(sum + product) : sum + product;
            }
            set(c, type, at, alpha * sum + (with_c ? beta * get(c, type, at) : 0));
        }
    free(a);
    free(b);
    return c;
}

static void test_gemm(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        gr_type type = variant & 1 ? GR_DOUBLE : GR_FLOAT;
        gr_job job = make_job("gemm", type, variant & 2 ? GR_REAL : GR_EXACT, "m=37 n=530 k=65");
        job.column_major = variant & 4;
        size_t bytes = gr_job_arg_bytes(gr_job_find(&job, "c"));
        void *c = plain_gemm(&job, true);
        expect_pass(&job, c, bytes);
        set(c, type, 600, get(c, type, 600) * (variant & 2 ? 1.001 : 1) + 1e-2);
        expect_words(&job, c, bytes,
                     job.column_major ? "c[600] (row 8, column 16)" : "c[600] (row 1, column 70)");
        free(c);
        c = plain_gemm(&job, false);
        if (!(variant & 2))
            expect_words(&job, c, bytes, "beta C is missing");
        free(c);
    }
}

/* An input rounded to TF32 (10 bits after the point) shows, in exact and in real values. */
static void test_low_precision_shows(void **state) {
    (void)state;
    for (int values = GR_EXACT; values <= GR_REAL; values++) {
        gr_job job = make_job("gemm", GR_FLOAT, (gr_values)values, "m=64 n=64 k=256");
        float *a = input(&job, "a"), *b = input(&job, "b"), *c = input(&job, "c");
        for (int i = 0; i < 64 * 256; i++) {
            uint32_t w;
            memcpy(&w, &a[i], 4);
            w = (w + 0x1000u) & 0xffffe000u;
            memcpy(&a[i], &w, 4);
        }
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++) {
                double sum = 0;
                for (int p = 0; p < 256; p++)
                    sum += (double)a[i * 256 + p] * b[p * 64 + j];
                c[i * 64 + j] = (float)(2 * sum - c[i * 64 + j]);
            }
        gr_verdict v = check(&job, c, 64 * 64 * 4);
        assert_false(v.passed);
        assert_true(v.wrong > 1000);
        free(a);
        free(b);
        free(c);
    }
}

/* Fused and not, C first and last, in two halves. */
static void test_products_in_any_order_pass(void **state) {
    (void)state;
    static const char *const sizes[] = {"m=64 n=64 k=3", "m=64 n=64 k=100", "m=24 n=24 k=4096"};
    for (size_t s = 0; s < WB_COUNT(sizes); s++)
        for (int way = 0; way < 4; way++) {
            gr_job job = make_job("gemm", GR_FLOAT, GR_REAL, sizes[s]);
            int64_t n = gr_job_size(&job, "n"), k = gr_job_size(&job, "k");
            float *a = input(&job, "a"), *b = input(&job, "b"), *c = input(&job, "c");
            for (int64_t e = 0; e < gr_job_find(&job, "c")->count; e++) {
                float sum[2] = {way == 3 ? -c[e] / 2 : 0, 0};
                for (int64_t p = 0; p < k; p++) {
                    float x = a[e / n * k + p], y = b[p * n + e % n];
                    float *to = &sum[way == 2 && p >= k / 2];
                    volatile float product = x * y;
                    *to = way == 1 ? *to + product : fmaf(x, y, *to);
                }
                c[e] = 2 * (sum[0] + sum[1]) - (way == 3 ? 0 : c[e]);
            }
            expect_pass(&job, c, gr_job_arg_bytes(gr_job_find(&job, "c")));
            free(a);
            free(b);
            free(c);
        }
}

static void test_large_product_of_threads(void **state) {
    (void)state;
    gr_job job = make_job("gemm", GR_FLOAT, GR_EXACT, "m=300 n=1100 k=200");
    void *c = plain_gemm(&job, true);
    expect_pass(&job, c, 300 * 1100 * 4);
    free(c);
}

typedef struct mistake {
    int a, b, c; /* 1: in the other order */
    int lda, ldb, from, to, again, until;
    float alpha, beta;
    const char *words;
} mistake;

/* C with a mistake; 0 in lda, ldb and to: as it should be. */
static void *mistaken_gemm(const gr_job *job, const mistake *x) {
    int64_t m = gr_job_size(job, "m"), n = gr_job_size(job, "n"), k = gr_job_size(job, "k");
    bool column = job->column_major, a_columns = column != x->a, b_columns = column != x->b;
    int64_t lda = x->lda ? x->lda : a_columns ? m : k, ldb = x->ldb ? x->ldb : b_columns ? k : n;
    float *a = input(job, "a"), *b = input(job, "b"), *c = input(job, "c");
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            int64_t at = column != x->c ? j * m + i : i * n + j;
            for (int64_t p = x->from; p < (x->to ? x->to : k); p++)
                sum += (double)a[a_columns ? p * lda + i : i * lda + p] *
                       b[b_columns ? j * ldb + p : p * ldb + j];
            for (int64_t p = x->again; p < x->until; p++)
                sum += (double)a[column ? p * lda + i : i * lda + p] *
                       b[column ? j * ldb + p : p * ldb + j];
            c[at] = (float)(x->alpha * sum + x->beta * c[at]);
        }
    free(a);
    free(b);
    return c;
}

static void test_mixed_up_products(void **state) {
    (void)state;
    const mistake mistakes[] = {
        {.b = 1, .alpha = 2, .beta = -1, .words = "when B is taken as"},
        {.a = 1, .alpha = 2, .beta = -1, .words = "when A is taken as"},
        {.c = 1, .alpha = 2, .beta = -1, .words = "when C is taken as"},
        {.a = 1, .b = 1, .c = 1, .alpha = 2, .beta = -1, .words = "when A, B and C are taken as"},
        {.to = 64, .alpha = 2, .beta = -1, .words = "the first 64 of the 69 terms"},
        {.to = 68, .alpha = 2, .beta = -1, .words = "lacks the last term"},
        {.from = 1, .alpha = 2, .beta = -1, .words = "lacks the first term"},
        {.again = 53,
         .until = 64,
         .alpha = 2,
         .beta = -1,
         .words = "the terms from p = 53 to 63 are added twice"},
        {.to = 16, .alpha = 2, .beta = -1, .words = "the first tile's"},
        {.alpha = 1, .beta = -1, .words = "alpha is missing"},
        {.alpha = 2, .beta = 1, .words = "beta is missing"},
        {.alpha = 2, .beta = -2, .words = "alpha belongs to A B alone"}};
    for (int variant = 0; variant < 4; variant++) {
        gr_job job = make_job("gemm", GR_FLOAT, variant & 1 ? GR_REAL : GR_EXACT, "m=20 n=33 k=69");
        job.column_major = variant & 2;
        size_t bytes = gr_job_arg_bytes(gr_job_find(&job, "c"));
        for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
            float *c = mistaken_gemm(&job, &mistakes[i]);
            expect_words(&job, c, bytes, mistakes[i].words);
            c[100] += 7; /* no longer every element */
            gr_verdict v = check(&job, c, bytes);
            assert_null(strstr(v.text, "Every element"));
            free(c);
        }
        mistake lengths = {.alpha = 2, .beta = -1, .lda = 20, .ldb = 33};
        lengths.lda = job.column_major ? 20 : 33; /* rows of A as long as those of B */
        lengths.ldb = job.column_major ? 20 : 33;
        float *c = mistaken_gemm(&job, &lengths);
        expect_words(&job, c, bytes,
                     job.column_major ? "of A are taken to be m elements long and those of B m"
                                      : "of A are taken to be n elements long and those of B n");
        free(c);
    }
    /* each product added to a C that is large: an order of additions like any other */
    gr_job large = make_job("gemm", GR_FLOAT, GR_REAL, "m=20 n=33 k=300");
    large.scale = 1e-5;
    float *a = input(&large, "a"), *b = input(&large, "b"), *sums = input(&large, "c");
    for (int i = 0; i < 20 * 33; i++) {
        sums[i] *= -1;
        for (int p = 0; p < 300; p++)
            sums[i] += 2 * a[i / 33 * 300 + p] * b[p * 33 + i % 33];
    }
    expect_pass(&large, sums, 20 * 33 * 4);
    free(a);
    free(b);
    free(sums);
    /* the lower half of C was never written */
    gr_job half = make_job("gemm", GR_FLOAT, GR_REAL, "m=20 n=33 k=69");
    float *c = plain_gemm(&half, true), *before = input(&half, "c");
    memcpy(c + 10 * 33, before + 10 * 33, 10 * 33 * sizeof *c);
    expect_words(&half, c, 20 * 33 * 4, "330 of them still hold what c held before");
    free(c);
    free(before);
    /* a vector: order makes no difference, and nothing beyond the arrays is read */
    gr_job job = make_job("gemm", GR_FLOAT, GR_EXACT, "m=1 n=9 k=5");
    float zeros[9] = {0};
    gr_verdict v = check(&job, zeros, sizeof zeros);
    assert_false(v.passed);
    assert_null(strstr(v.text, "Every element is"));
}

/* Where C is far larger than A B, a wrong product leaves all elements near: no rounding. */
static void test_near_is_said_of_the_product(void **state) {
    (void)state;
    gr_job job = make_job("gemm", GR_FLOAT, GR_REAL, "m=20 n=30 k=40");
    job.scale = 1e-5;
    mistake half = {.to = 20, .alpha = 2, .beta = -1};
    float *c = mistaken_gemm(&job, &half);
    gr_verdict v = check(&job, c, 20 * 30 * 4);
    assert_false(v.passed);
    assert_null(strstr(v.text, "rounded on the way"));
    free(c);
}

static void test_wrong_sizes_are_refused(void **state) {
    (void)state;
    gr_job job = make_job("gemm", GR_FLOAT, GR_EXACT, "m=1 n=5 k=2");
    gr_verdict verdict;
    wb_error err = {0};
    double out = 0;
    assert_false(gr_check(&job, 0, &out, 8, (gr_given){NULL, 0}, &verdict, &err));
    assert_non_null(strstr(err.text, "8 bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_low_precision_shows),
        cmocka_unit_test(test_products_in_any_order_pass),
        cmocka_unit_test(test_large_product_of_threads),
        cmocka_unit_test(test_mixed_up_products),
        cmocka_unit_test(test_near_is_said_of_the_product),
        cmocka_unit_test(test_wrong_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
