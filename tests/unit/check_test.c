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
#include "grader/input.h"

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
    if (!gr_check(job, 0, out, bytes, &verdict, &err))
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

static void test_transpose(void **state) {
    (void)state;
    gr_job job = make_job("transpose", GR_FLOAT, GR_BITS, "rows=33 cols=70");
    enum { ROWS = 33, COLS = 70, BYTES = ROWS * COLS * 4 };
    uint32_t *in = input(&job, "in"), out[ROWS * COLS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            out[c * ROWS + r] = in[r * COLS + c];
    expect_pass(&job, out, BYTES);
    for (int i = 0; i < ROWS * COLS; i++)
        if (out[i] == 0x80000000u) {
            out[i] = 0; /* -0 and 0 are equal, and not the same */
            expect_words(&job, out, BYTES, "1 of 2310 elements of out is wrong");
            expect_words(&job, out, BYTES, "do not compute with them");
            out[i] = 0x80000000u;
        }
    out[69 * 33 + 32] ^= 1;
    expect_words(&job, out, BYTES, "out[2309] (row 69, column 32)");
    out[69 * 33 + 32] ^= 1;
    gr_poison(out + 100, 40, GR_POISON);
    expect_words(&job, out, BYTES, "never written");
    expect_words(&job, in, BYTES, "still holds what was there before");
    gr_poison(out, BYTES, GR_POISON);
    expect_words(&job, out, BYTES, "Nothing was written there");
    gr_poison(out, BYTES, GR_POISON_TEMPORARY);
    expect_words(&job, out, BYTES, "read before anything was written there");
    free(in);
}

static void test_transpose_of_doubles_and_ints(void **state) {
    (void)state;
    for (int type = GR_INT; type <= GR_DOUBLE; type += 2) {
        gr_job job = make_job("transpose", (gr_type)type, GR_BITS, "rows=20 cols=3");
        size_t size = gr_type_size((gr_type)type);
        char *in = input(&job, "in"), out[60 * 8];
        for (int r = 0; r < 20; r++)
            for (int c = 0; c < 3; c++)
                memcpy(out + (size_t)(c * 20 + r) * size, in + (size_t)(r * 3 + c) * size, size);
        expect_pass(&job, out, 60 * size);
        out[59 * size] ^= 1;
        expect_words(&job, out, 60 * size, "1 of 60");
        free(in);
    }
}

static void test_increment(void **state) {
    (void)state;
    gr_job job = make_job("increment", GR_INT, GR_EXACT, "n=1000");
    int32_t *a = input(&job, "a");
    expect_words(&job, a, 4000, "still holds what was there before");
    for (int i = 0; i < 1000; i++)
        a[i]++;
    expect_pass(&job, a, 4000);
    a[999]++;
    expect_words(&job, a, 4000, "a[999]");
    free(a);
}

static void test_reduce(void **state) {
    (void)state;
    gr_job job = make_job("reduce", GR_FLOAT, GR_EXACT, "n=70000");
    float *in = input(&job, "in"), forward = 0, backward = 0;
    for (int i = 0; i < 70000; i++)
        forward += in[i];
    for (int i = 70000; i-- > 0;)
        backward += in[i];
    assert_true(forward == backward);
    expect_pass(&job, &forward, 4);
    float off = nextafterf(forward, 0);
    expect_words(&job, &off, 4, "expected exactly");
    expect_words(&job, &off, 4, "out[0] is wrong: "); /* not 1 of 1 elements */
    uint32_t poison = GR_POISON;
    expect_words(&job, &poison, 4, "set them to 0 first (cudaMemsetAsync)");
    free(in);
    job = make_job("reduce", GR_FLOAT, GR_REAL, "n=70000");
    in = input(&job, "in");
    float serial = 0;
    double right = 0, magnitude = 0;
    for (int i = 0; i < 70000; i++) {
        serial += in[i];
        right += in[i];
        magnitude += fabsf(in[i]);
    }
    expect_pass(&job, &serial, 4); /* even one thread alone is within what rounding explains */
    off = (float)(right + 2000 * 0x1p-24 * magnitude);
    expect_words(&job, &off, 4, "rounding explains at most");
    off = (float)NAN;
    expect_words(&job, &off, 4, "NaN");
    off = (float)INFINITY;
    expect_words(&job, &off, 4, "inf");
    free(in);
    job = make_job("reduce", GR_FLOAT, GR_EXACT, "n=0");
    off = 0;
    expect_pass(&job, &off, 4);
    off = 1;
    expect_words(&job, &off, 4, "expected exactly 0");
}

static void test_sums(void **state) {
    (void)state;
    gr_job job = make_job("sums", GR_DOUBLE, GR_EXACT, "rows=30 cols=50");
    double *m = input(&job, "m"), sums[80] = {0};
    for (int r = 0; r < 30; r++)
        for (int c = 0; c < 50; c++) {
            sums[r] += m[r * 50 + c];
            sums[30 + c] += m[r * 50 + c];
        }
    expect_pass(&job, sums, sizeof sums);
    sums[79] += 1;
    expect_words(&job, sums, sizeof sums, "col_sums[49]");
    sums[29] += 1;
    expect_words(&job, sums, sizeof sums, "row_sums[29]");
    free(m);
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

static void test_large_product_of_threads(void **state) {
    (void)state;
    gr_job job = make_job("gemm", GR_FLOAT, GR_EXACT, "m=300 n=1100 k=200");
    void *c = plain_gemm(&job, true);
    expect_pass(&job, c, 300 * 1100 * 4);
    free(c);
}

static void test_wrong_sizes_are_refused(void **state) {
    (void)state;
    gr_job job = make_job("reduce", GR_FLOAT, GR_EXACT, "n=5");
    gr_verdict verdict;
    wb_error err = {0};
    double out = 0;
    assert_false(gr_check(&job, 0, &out, 8, &verdict, &err));
    assert_non_null(strstr(err.text, "8 bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_transpose_of_doubles_and_ints),
        cmocka_unit_test(test_increment),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_low_precision_shows),
        cmocka_unit_test(test_large_product_of_threads),
        cmocka_unit_test(test_wrong_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
