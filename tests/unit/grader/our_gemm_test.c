/* The gemm lab's reference: right products pass in any order of additions, every way of being wrong
 * is seen, and what it comes of is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/job/input.h"
#include "tests/unit/grader/our_labs.h"

static gr_job gemm_job(const char *values, const char *sizes) {
    char text[100];
    snprintf(text, sizeof text, "%s alpha=2 beta=-1", sizes);
    return our_job("gemm", values, text);
}

/* A product with a mistake; zeros in lda, ldb and to: as it should be. */
typedef struct mistake {
    int a, b, c; /* 1: in the other order */
    int lda, ldb, from, to, again, until;
    float alpha, beta;
    const char *words;
} mistake;

static float *mistaken(const gr_job *job, const mistake *x) {
    int64_t m = gr_job_find(job, "m")->count, n = gr_job_find(job, "n")->count,
            k = gr_job_find(job, "k")->count;
    int64_t lda = x->lda ? x->lda : x->a ? m : k, ldb = x->ldb ? x->ldb : x->b ? k : n;
    float *a = our_input(job, "a"), *b = our_input(job, "b"), *c = our_input(job, "c");
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            int64_t at = x->c ? j * m + i : i * n + j;
            for (int64_t p = x->from; p < (x->to ? x->to : k); p++)
                sum += (double)a[x->a ? p * lda + i : i * lda + p] *
                       b[x->b ? j * ldb + p : p * ldb + j];
            for (int64_t p = x->again; p < x->until; p++)
                sum += (double)a[i * lda + p] * b[p * ldb + j];
            c[at] = (float)(x->alpha * sum + x->beta * c[at]);
        }
    free(a);
    free(b);
    return c;
}

static const mistake none = {.alpha = 2, .beta = -1};

static void test_right_and_a_little_off(void **state) {
    (void)state;
    static const char *const kinds[] = {"exact", "real", "large", "tiny"};
    for (size_t v = 0; v < WB_COUNT(kinds); v++) {
        gr_job job = gemm_job(kinds[v], "m=37 n=530 k=65");
        float *c = mistaken(&job, &none), was = c[600];
        assert_true(our_pass("gemm", &job, c));
        c[600] = v ? was * 1.001f : was + 1;
        our_words("gemm", &job, c, "c[600] (row 1, column 70)");
        c[600] = NAN;
        our_words("gemm", &job, c, "NaN");
        c[600] = INFINITY;
        our_words("gemm", &job, c, "inf");
        free(c);
    }
}

/* Inputs rounded to TF32, bfloat16 and 8 bits, and added up without any further error, show in
 * whole and in real numbers, of few and of many terms. */
static void test_low_precision_shows(void **state) {
    (void)state;
    static const char *const sizes[] = {"m=64 n=64 k=4", "m=64 n=64 k=256", "m=16 n=16 k=4096"};
    for (size_t i = 0; i < 2 * WB_COUNT(sizes); i++)
        for (int dropped = 13; dropped <= 20; dropped += 3) {
            gr_job job = gemm_job(i & 1 ? "real" : "exact", sizes[i / 2]);
            int64_t n = gr_job_find(&job, "n")->count, k = gr_job_find(&job, "k")->count;
            float *a = our_input(&job, "a"), *b = our_input(&job, "b"), *c = our_input(&job, "c");
            for (int64_t e = 0; e < gr_job_find(&job, "a")->count; e++) {
                uint32_t w;
                memcpy(&w, &a[e], 4);
                w = (w + (1u << (dropped - 1))) >> dropped << dropped;
                memcpy(&a[e], &w, 4);
            }
            for (int64_t e = 0; e < gr_job_find(&job, "c")->count; e++) {
                double sum = 0;
                for (int64_t p = 0; p < k; p++)
                    sum += (double)a[e / n * k + p] * b[p * n + e % n];
                c[e] = (float)(2 * sum - c[e]);
            }
            gr_verdict v = our_verdict("gemm", &job, c);
            assert_false(v.passed);
            assert_true(v.wrong > v.total / 4);
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
            gr_job job = gemm_job("real", sizes[s]);
            int64_t n = gr_job_find(&job, "n")->count, k = gr_job_find(&job, "k")->count;
            float *a = our_input(&job, "a"), *b = our_input(&job, "b"), *c = our_input(&job, "c");
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
            assert_true(our_pass("gemm", &job, c));
            free(a);
            free(b);
            free(c);
        }
}

static void test_mistakes_are_told(void **state) {
    (void)state;
    const mistake mistakes[] = {
        {.b = 1, .alpha = 2, .beta = -1, .words = "when B is taken as"},
        {.a = 1, .alpha = 2, .beta = -1, .words = "when A is taken as"},
        {.c = 1, .alpha = 2, .beta = -1, .words = "when C is taken as"},
        {.a = 1, .b = 1, .c = 1, .alpha = 2, .beta = -1, .words = "when A, B and C are taken as"},
        {.lda = 33, .alpha = 2, .beta = -1, .words = "n elements long and those of B n"},
        {.to = 64, .alpha = 2, .beta = -1, .words = "the first 64 of the 69 terms"},
        {.to = 68, .alpha = 2, .beta = -1, .words = "lacks the last term"},
        {.from = 1, .alpha = 2, .beta = -1, .words = "lacks the first term"},
        {.again = 53, .until = 64, .alpha = 2, .beta = -1, .words = "from p = 53 to 63 are added"},
        {.to = 16, .alpha = 2, .beta = -1, .words = "the first tile's"},
        {.alpha = 2, .words = "beta C is missing"},
        {.alpha = 1, .beta = -1, .words = "alpha is missing"},
        {.alpha = 2, .beta = 1, .words = "beta is missing"},
        {.alpha = 2, .beta = -2, .words = "alpha belongs to A B alone"}};
    for (int real = 0; real < 2; real++) {
        gr_job job = gemm_job(real ? "real" : "exact", "m=20 n=33 k=69");
        for (size_t i = 0; i < WB_COUNT(mistakes); i++) {
            float *c = mistaken(&job, &mistakes[i]);
            our_words("gemm", &job, c, mistakes[i].words);
            c[100] += 7; /* no longer every element */
            gr_verdict v = our_verdict("gemm", &job, c);
            assert_null(strstr(v.text, "Every element"));
            free(c);
        }
    }
    /* the lower half of C was never written */
    gr_job half = gemm_job("real", "m=20 n=33 k=69");
    float *c = mistaken(&half, &none), *before = our_input(&half, "c");
    memcpy(c + 10 * 33, before + 10 * 33, 10 * 33 * sizeof *c);
    our_words("gemm", &half, c, "330 of them still hold what c held before");
    free(c);
    free(before);
    /* a vector: order makes no difference, and nothing beyond the arrays is read */
    gr_job vector = gemm_job("exact", "m=1 n=9 k=5");
    float zeros[9] = {0};
    gr_verdict v = our_verdict("gemm", &vector, zeros);
    assert_false(v.passed);
    assert_null(strstr(v.text, "Every element is"));
}

/* If C is far larger than A B, the judge still sees a wrong product, though all
 * elements are near, because the difference is no rounding. */
static void test_products_beside_a_large_c(void **state) {
    (void)state;
    gr_job job = gemm_job("tiny", "m=20 n=33 k=300");
    float *a = our_input(&job, "a"), *b = our_input(&job, "b"), *sums = our_input(&job, "c");
    for (int i = 0; i < 20 * 33; i++) {
        sums[i] *= -1;
        for (int p = 0; p < 300; p++)
            sums[i] += 2 * a[i / 33 * 300 + p] * b[p * 33 + i % 33];
    }
    assert_true(our_pass("gemm", &job, sums));
    mistake half = {.to = 150, .alpha = 2, .beta = -1};
    float *c = mistaken(&job, &half);
    gr_verdict v = our_verdict("gemm", &job, c);
    assert_false(v.passed);
    assert_null(strstr(v.text, "rounded on the way"));
    free(a);
    free(b);
    free(c);
    free(sums);
}

/* Judges some rows of a product with more than 2^33 terms. The secret picks them. In the
 * others it only checks that they are numbers. */
static void test_rows_of_large_products(void **state) {
    (void)state;
    enum { M = 2000, N = 2000, K = 2200 };
    int m = M, n = N, k = K;
    float alpha = 1, beta = 0, *a = calloc(M, K * 4), *b = calloc(K, N * 4), *c = calloc(M, N * 4);
    double *magnitude = calloc((size_t)M * N, sizeof *magnitude);
    void *slots[] = {a, b, c, magnitude};
    void *arguments[] = {&m, &n, &k, &alpha, &slots[0], &slots[1], &beta, &slots[2], &slots[3]};
    char judged[2][M];
    a[0] = 0.5f; /* not whole */
    for (int secret = 0; secret < 2; secret++) {
        int rows = 0, both = 0;
        our_secret(secret ? 0x123456789abcdef0u : 7);
        assert_true(our_reference("gemm", arguments));
        for (int r = 0; r < M; r++) {
            judged[secret][r] = isfinite(magnitude[(size_t)r * N + N - 1]);
            rows += judged[secret][r];
            both += secret && judged[0][r] && judged[1][r];
        }
        assert_in_range(rows, 100, 128);
        assert_true(both < 40);
    }
    free(a);
    free(b);
    free(c);
    free(magnitude);
}

static void test_wrong_sizes_are_refused(void **state) {
    (void)state;
    gr_job job = gemm_job("exact", "m=1 n=5 k=2");
    gr_verdict verdict;
    wb_error err = {0};
    double out = 0;
    assert_false(gr_check(&job, 0, &out, 8, (gr_given){NULL, 0}, &verdict, &err));
    assert_non_null(strstr(err.text, "8 bytes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_and_a_little_off),
        cmocka_unit_test(test_low_precision_shows),
        cmocka_unit_test(test_products_in_any_order_pass),
        cmocka_unit_test(test_mistakes_are_told),
        cmocka_unit_test(test_products_beside_a_large_c),
        cmocka_unit_test(test_rows_of_large_products),
        cmocka_unit_test(test_wrong_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
