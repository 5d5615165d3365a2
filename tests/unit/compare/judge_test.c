/* warpbook-compare passes right results and finds one wrong element in millions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/compare/program/data.h"

/* One problem with its inputs filled; result is what a kernel would leave. */
typedef struct problem {
    wbk_kernel kernel;
    data_mode mode;
    arguments g;
    void *a, *b, *before, *result;
    char text[500];
    double error;
} problem;

static problem pose(wbk_shape shape, wbk_type type, data_mode mode, wbk_size size, double alpha,
                    double beta) {
    problem p = {.kernel = {.name = "test", .shape = shape},
                 .mode = mode,
                 .g = {.type = type, .size = size, .alpha = alpha, .beta = beta}};
    wbk_elements e = wbk_buffer_elements(&p.kernel, size);
    p.a = calloc(e.a + 1, 8);
    p.b = calloc(e.b + 1, 8);
    p.before = calloc(e.c + 1, 8);
    p.result = calloc(e.c + 1, 8);
    assert_true(p.a && p.b && p.before && p.result);
    data_fill(&p.kernel, mode, &p.g, 7, p.a, p.b, p.before);
    return p;
}

static bool judge(problem *p) {
    p->text[0] = 0;
    return data_check(&p->kernel, p->mode, &p->g, p->a, p->b, p->before, p->result, p->text,
                      sizeof p->text, &p->error);
}

static void forget(problem *p) {
    free(p->a);
    free(p->b);
    free(p->before);
    free(p->result);
}

/* alpha A B + beta C, row-major, in double; a factor of 0 leaves its matrix unread. */
static void multiply(problem *p) {
    size_t m = p->g.size.m, n = p->g.size.n, k = p->g.size.k;
    wbk_type type = p->g.type;
    double *row = calloc(n, sizeof *row);
    for (size_t i = 0; i < m; i++) {
        memset(row, 0, n * sizeof *row);
        for (size_t l = 0; l < k && p->g.alpha != 0; l++) {
            double a = element_get(p->a, type, i * k + l);
            for (size_t j = 0; j < n; j++)
                row[j] += a * element_get(p->b, type, l * n + j);
        }
        for (size_t j = 0; j < n; j++) {
            double c = p->g.beta == 0 ? 0 : p->g.beta * element_get(p->before, type, i * n + j);
            element_put(p->result, type, i * n + j, p->g.alpha * row[j] + c);
        }
    }
    free(row);
}

/* Wrong by `off` at one place: found, and named. */
static void assert_found(problem *p, size_t at, double off, const char *name) {
    double right = element_get(p->result, p->g.type, at);
    element_put(p->result, p->g.type, at, right + off);
    assert_false(judge(p));
    assert_non_null(strstr(p->text, name));
    element_put(p->result, p->g.type, at, right);
}

/* Small: element by element. Large: Freivalds's test, every element too. */
static void products_of_whole_numbers(void **state) {
    (void)state;
    const wbk_size sizes[] = {{.m = 33, .n = 17, .k = 65}, {.m = 40, .n = 90, .k = 50000}};
    for (size_t i = 0; i < 2; i++) {
        size_t m = sizes[i].m, n = sizes[i].n;
        problem p = pose(WBK_GEMM, WBK_F32, DATA_EXACT, sizes[i], 2, -1);
        multiply(&p);
        assert_true(judge(&p));
        char last[40];
        snprintf(last, sizeof last, "C[%zu][%zu]", m - 1, n - 1);
        assert_found(&p, 0, 1, "C[0][0]");
        assert_found(&p, m * n - 1, -2, last);
        assert_found(&p, 3 * n + 5, NAN, "C[3][5]");
        assert_found(&p, 3 * n + 5, 0.5, "C[3][5]");
        forget(&p);
    }
}

/* Sums of exact inputs must be exact in fp32 whatever the order: here the worst, all |a b|. */
static void exact_products_stay_below_2_to_the_24(void **state) {
    (void)state;
    for (size_t k = 1000; k <= 64000; k *= 4) {
        problem p = pose(WBK_GEMM, WBK_F32, DATA_EXACT, (wbk_size){.m = 4, .n = 4, .k = k}, 1, 0);
        for (size_t i = 0; i < 16; i++) {
            double magnitude = 0;
            for (size_t l = 0; l < k; l++)
                magnitude += fabs(element_get(p.a, WBK_F32, i / 4 * k + l) *
                                  element_get(p.b, WBK_F32, l * 4 + i % 4));
            assert_true(magnitude > 0 && magnitude < 0x1p24);
        }
        forget(&p);
    }
}

static void products_of_reals(void **state) {
    (void)state;
    problem p =
        pose(WBK_GEMM, WBK_F32, DATA_REAL, (wbk_size){.m = 20, .n = 30, .k = 200}, 0.75, -1.25);
    multiply(&p);
    assert_true(judge(&p));
    assert_true(p.error > 0 && p.error < 0x1p-22);
    assert_found(&p, 31, 1e-3, "C[1][1]"); /* what TF32 would be off by; fp32 is a hundred below */
    forget(&p);
}

static void what_a_factor_of_0_stands_before_does_not_count(void **state) {
    (void)state;
    problem p = pose(WBK_GEMM, WBK_F64, DATA_IGNORED, (wbk_size){.m = 9, .n = 8, .k = 7}, 0, 2);
    assert_false(isfinite(element_get(p.a, WBK_F64, 0)) || isfinite(element_get(p.b, WBK_F64, 55)));
    multiply(&p);
    assert_true(judge(&p));
    assert_found(&p, 0, NAN, "C[0][0]");
    forget(&p);
}

static void moved_elements_are_compared_bit_for_bit(void **state) {
    (void)state;
    enum { ROWS = 130, COLS = 67 };
    problem p = pose(WBK_TRANSPOSE, WBK_F32, DATA_EXACT, (wbk_size){.m = ROWS, .n = COLS}, 1, 0);
    uint32_t *in = p.a, *out = p.result;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLS; c++)
            out[c * ROWS + r] = in[r * COLS + c];
    assert_true(judge(&p));
    out[66 * ROWS + 129] ^= 1; /* among the NaNs with payloads */
    assert_false(judge(&p));
    assert_non_null(strstr(p.text, "row 66, column 129 of the output"));
    forget(&p);
}

static void sums_and_maxima_over_many_chunks(void **state) {
    (void)state;
    size_t n = 3000001;
    for (int type = WBK_F32; type <= WBK_F64; type++) {
        problem p = pose(WBK_REDUCE, (wbk_type)type, DATA_EXACT, (wbk_size){.n = n}, 1, 0);
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += element_get(p.a, p.g.type, i);
        element_put(p.result, p.g.type, 0, sum);
        assert_true(judge(&p));
        assert_found(&p, 0, 1, "the sum");
        forget(&p);
        p = pose(WBK_MAXIMUM, (wbk_type)type, DATA_EXACT, (wbk_size){.n = n}, 1, 0);
        double greatest = -INFINITY;
        for (size_t i = 0; i < n; i++)
            greatest = fmax(greatest, element_get(p.a, p.g.type, i));
        element_put(p.result, p.g.type, 0, greatest);
        assert_true(judge(&p));
        assert_found(&p, 0, 1, "the maximum");
        forget(&p);
    }
}

static void prefix_sums_are_judged_one_by_one(void **state) {
    (void)state;
    size_t n = 300001;
    for (int mode = DATA_EXACT; mode <= DATA_REAL; mode++) {
        problem p = pose(WBK_SCAN, WBK_F32, (data_mode)mode, (wbk_size){.n = n}, 1, 0);
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            element_put(p.result, WBK_F32, i, sum += element_get(p.a, WBK_F32, i));
        assert_true(judge(&p));
        assert_found(&p, 200000, mode == DATA_EXACT ? 1 : 1000, "elements 0 to 200000");
        assert_found(&p, n - 1, mode == DATA_EXACT ? 1 : 1000, "elements 0 to 300000");
        forget(&p);
    }
}

static void a_count_that_is_off_by_one_is_found(void **state) {
    (void)state;
    for (int mode = DATA_EXACT; mode <= DATA_REAL; mode++) {
        problem p = pose(WBK_HISTOGRAM, WBK_BYTE, (data_mode)mode, (wbk_size){.n = 70001}, 1, 0);
        int *bins = p.result, most = 0;
        for (size_t i = 0; i < 70001; i++)
            bins[((unsigned char *)p.a)[i]]++;
        for (int v = 0; v < 256; v++)
            most = bins[v] > most ? bins[v] : most;
        assert_true(mode == DATA_EXACT ? most < 500 : most > 17000); /* even, and skewed */
        assert_true(judge(&p));
        bins[65]--;
        assert_false(judge(&p));
        assert_non_null(strstr(p.text, "bin 65 is "));
        forget(&p);
    }
}

/* Without the largest subtracted exp overflows or is 0: 89 and more, -104 and less are among them.
 */
static void softmax_is_judged_row_by_row(void **state) {
    (void)state;
    enum { ROWS = 40, COLS = 300 };
    for (int mode = DATA_EXACT; mode <= DATA_REAL; mode++) {
        problem p =
            pose(WBK_SOFTMAX, WBK_F32, (data_mode)mode, (wbk_size){.m = ROWS, .n = COLS}, 1, 0);
        const float *in = p.a;
        float *out = p.result, least = INFINITY, most = -INFINITY;
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0, top = -INFINITY;
            for (size_t c = 0; c < COLS; c++)
                top = fmax(top, in[r * COLS + c]);
            for (size_t c = 0; c < COLS; c++)
                sum += exp(in[r * COLS + c] - top);
            for (size_t c = 0; c < COLS; c++)
                out[r * COLS + c] = (float)(exp(in[r * COLS + c] - top) / sum);
            least = fminf(least, (float)top);
            most = fmaxf(most, (float)top);
        }
        assert_true(least < -104 && most > 89);
        assert_true(judge(&p));
        for (size_t i = 0; i < ROWS * COLS; i += 77) {
            float right = out[i];
            out[i] = right * 1.0001f + 1e-30f;
            assert_false(judge(&p));
            out[i] = NAN;
            assert_false(judge(&p));
            out[i] = right;
        }
        assert_true(judge(&p));
        forget(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_whole_numbers),
        cmocka_unit_test(exact_products_stay_below_2_to_the_24),
        cmocka_unit_test(products_of_reals),
        cmocka_unit_test(what_a_factor_of_0_stands_before_does_not_count),
        cmocka_unit_test(moved_elements_are_compared_bit_for_bit),
        cmocka_unit_test(sums_and_maxima_over_many_chunks),
        cmocka_unit_test(prefix_sums_are_judged_one_by_one),
        cmocka_unit_test(a_count_that_is_off_by_one_is_found),
        cmocka_unit_test(softmax_is_judged_row_by_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
