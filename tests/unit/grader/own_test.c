/* Labs with a reference of their own: what is drawn is what lab.json asks for, at any shape; jobs
 * go through JSON whole; what is right passes, and no wrong element does. */
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
#include "grader/job/random.h"

enum { SEEDS = 300 };

static uint64_t state_of_chance;
static uint32_t chance(uint32_t below) {
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_chance >> 33) % below;
}

/* ---- the lab that uses everything ------------------------------------------------------------ */

static gr_lab *everything(void) {
    wb_error err = {0};
    gr_lab *lab = gr_lab_read("tests/grader/labs/everything/lab.json", &err);
    if (!lab)
        fail_msg("%s", err.text);
    return lab;
}

static void test_a_job_survives_json(void **state) {
    (void)state;
    gr_lab *lab = everything();
    for (uint64_t seed = 0; seed < 50; seed++) {
        gr_job *job = calloc(1, sizeof *job), *again = calloc(1, sizeof *again);
        wb_error err = {0};
        assert_true(gr_job_make(lab, &lab->tests[0].cases[1], seed, 7, job, &err));
        *job = gr_job_with(job, gr_job_other(job));
        assert_int_equal(job->values, 1);
        json_t *json = gr_job_save(job);
        if (!gr_job_load(json, again, &err))
            fail_msg("%s", err.text);
        assert_memory_equal(&again->rival, &job->rival, sizeof job->rival);
        for (int i = 0; i < job->n_args; i++) {
            assert_string_equal(again->args[i].name, job->args[i].name);
            assert_int_equal(gr_job_arg_bytes(&again->args[i]), gr_job_arg_bytes(&job->args[i]));
            assert_int_equal(gr_job_has_magnitude(again, i), gr_job_has_magnitude(job, i));
            if (job->args[i].role != GR_INPUT)
                continue;
            size_t bytes = gr_job_arg_bytes(&job->args[i]);
            char *a = malloc(bytes + 1), *b = malloc(bytes + 1);
            gr_input_fill(job, i, 3, a);
            gr_input_fill(again, i, 3, b);
            assert_memory_equal(a, b, bytes);
            gr_input_fill(job, i, 4, b);
            assert_true(bytes < 64 || memcmp(a, b, bytes) != 0);
            free(a);
            free(b);
        }
        json_t *cut = json_string(json_string_value(json) + 2);
        assert_false(gr_job_load(cut, again, &err));
        json_decref(cut);
        json_decref(json);
        free(job);
        free(again);
    }
    gr_lab_free(lab);
}

static void test_structs_lie_as_in_c(void **state) {
    (void)state;
    gr_lab *lab = everything();
    const gr_arg *points = &lab->args[0];
    struct particle {
        float x;
        uint16_t weight;
        unsigned char tag;
        long long id;
    };
    assert_int_equal(points->bytes, sizeof(struct particle));
    assert_int_equal(points->fields[1].offset, offsetof(struct particle, weight));
    assert_int_equal(points->fields[2].offset, offsetof(struct particle, tag));
    assert_int_equal(points->fields[3].offset, offsetof(struct particle, id));
    gr_lab_free(lab);
}

static void test_halves_go_there_and_back(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        uint16_t half = (uint16_t)bits, back;
        double value = gr_type_get(GR_HALF, &half, 0);
        gr_type_set(GR_HALF, &back, 0, value);
        if (isnan(value))
            assert_true((back & 0x7fff) > 0x7c00);
        else
            assert_int_equal(half, back);
        if ((bits & 0x7fff) >= 0x7bff)
            continue;
        /* between two of them the nearer, of the middle the even one */
        uint16_t next = (uint16_t)(half + 1), got;
        double other = gr_type_get(GR_HALF, &next, 0);
        gr_type_set(GR_HALF, &got, 0, value + (other - value) * 0.49);
        assert_int_equal(got, half);
        gr_type_set(GR_HALF, &got, 0, value + (other - value) / 2);
        assert_int_equal(got, half & 1 ? next : half);
    }
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* A job with one input of n numbers, drawn so. */
static gr_job *drawn(gr_type type, int64_t n, gr_fill fill, uint64_t seed) {
    gr_job *job = calloc(1, sizeof *job);
    *job = (gr_job){.n_sets = 1, .sets = {"only"}, .seed = seed, .stream = 1, .n_args = 1};
    job->args[0] = (gr_job_arg){"in", GR_INPUT, type, n, 0, (uint32_t)gr_type_size(type), 0};
    job->draws[0].n_fields = 1;
    job->draws[0].fields[0].type = type;
    job->draws[0].fills[0][0] = fill;
    return job;
}

static void check_draw(const gr_fill *f, gr_type type, int64_t n, const void *data) {
    double before = 0, zeros = 0;
    char *seen = calloc((size_t)n + 1, 1);
    for (int64_t i = 0; i < n; i++) {
        double x = gr_type_get(type, data, i);
        switch (f->draw) {
        case GR_DRAW_UNIFORM:
        case GR_DRAW_WHOLE:
            assert_true(x >= f->a && x <= f->b);
            assert_true(f->draw == GR_DRAW_UNIFORM || x == rint(x));
            assert_true(!i || f->order == GR_ANY_ORDER || x == before ||
                        (x > before) == (f->order == GR_UP));
            break;
        case GR_DRAW_SPARSE:
            assert_true(x == 0 || (x >= f->a && x <= f->b));
            zeros += x == 0;
            break;
        case GR_DRAW_PERMUTATION:
            assert_true(x >= 0 && x < (double)n && !seen[(int64_t)x]++);
            break;
        case GR_DRAW_OFFSETS:
            assert_true(x >= before && x <= f->b && x == rint(x));
            assert_true(i || x == 0);
            assert_true(i < n - 1 || n == 1 || x == f->b);
            break;
        case GR_DRAW_TEXT:
            assert_true(x == '\n' || (x >= ' ' && x < 127));
            break;
        default:
            assert_false(isinf(x));
        }
        before = x;
    }
    if (f->draw == GR_DRAW_SPARSE && n > 500)
        assert_float_equal(zeros / (double)n, 1 - f->c,
                           6 * sqrt(f->c * (1 - f->c) / (double)n) + 0.01);
    free(seen);
}

static void test_draws_are_what_was_asked_for(void **state) {
    (void)state;
    static const gr_type types[GR_DRAWS][3] = {[GR_DRAW_UNIFORM] = {GR_FLOAT, GR_DOUBLE, GR_HALF},
                                               [GR_DRAW_NORMAL] = {GR_FLOAT, GR_DOUBLE, GR_HALF},
                                               [GR_DRAW_WHOLE] = {GR_INT, GR_LONG, GR_FLOAT},
                                               [GR_DRAW_SPARSE] = {GR_INT, GR_DOUBLE, GR_FLOAT},
                                               [GR_DRAW_PERMUTATION] = {GR_INT, GR_LONG, GR_UINT},
                                               [GR_DRAW_OFFSETS] = {GR_INT, GR_LONG, GR_UINT},
                                               [GR_DRAW_TEXT] = {GR_BYTE, GR_BYTE, GR_BYTE},
                                               [GR_DRAW_BITS] = {GR_INT, GR_BYTE, GR_UINT}};
    static const int64_t shapes[] = {0, 1, 2, 3, 31, 1000, 2047, 2048, 2049, 5000};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        state_of_chance = seed;
        int draw = (int)chance(GR_DRAWS);
        gr_type type = types[draw][chance(3)];
        int64_t n = shapes[chance(WB_COUNT(shapes))];
        gr_fill f = {.draw = (gr_draw)draw,
                     .order = draw <= GR_DRAW_WHOLE && draw != GR_DRAW_NORMAL
                                  ? (gr_order)chance(GR_ORDERS)
                                  : GR_ANY_ORDER,
                     .a = draw == GR_DRAW_SPARSE ? 1 : -(double)chance(50),
                     .b = 1 + (double)chance(1000),
                     .c = chance(100) / 100.0};
        gr_job *job = drawn(type, n, f, seed);
        size_t bytes = gr_job_arg_bytes(&job->args[0]);
        char *data = malloc(bytes + 8), *again = malloc(bytes + 8);
        memset(data + bytes, 0x5a, 8);
        gr_input_fill(job, 0, 0, data);
        gr_input_fill(job, 0, 0, again);
        assert_memory_equal(data, again, bytes);
        assert_memory_equal(data + bytes, "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", 8);
        check_draw(&f, type, n, data);
        free(data);
        free(again);
        free(job);
    }
}

static void test_means_are_where_they_belong(void **state) {
    (void)state;
    enum { N = 20000 };
    static const struct {
        gr_fill fill;
        double mean, deviation;
    } cases[] = {{{GR_DRAW_UNIFORM, GR_ANY_ORDER, 2, 4, 0}, 3, 0.5774},
                 {{GR_DRAW_UNIFORM, GR_UP, 2, 4, 0}, 3, 0.5774},
                 {{GR_DRAW_NORMAL, GR_ANY_ORDER, -1, 3, 0}, -1, 3},
                 {{GR_DRAW_WHOLE, GR_ANY_ORDER, 0, 9, 0}, 4.5, 2.872},
                 {{GR_DRAW_WHOLE, GR_DOWN, 0, 9, 0}, 4.5, 2.872}};
    for (size_t c = 0; c < WB_COUNT(cases); c++) {
        gr_job *job = drawn(GR_DOUBLE, N, cases[c].fill, 11 + c);
        double *data = malloc(N * sizeof *data), sum = 0, squares = 0;
        gr_input_fill(job, 0, 0, data);
        for (int i = 0; i < N; i++)
            sum += data[i];
        for (int i = 0; i < N; i++)
            squares += (data[i] - sum / N) * (data[i] - sum / N);
        assert_float_equal(sum / N, cases[c].mean, 6 * cases[c].deviation / sqrt(N));
        assert_float_equal(sqrt(squares / N), cases[c].deviation, 0.05 * cases[c].deviation);
        free(data);
        free(job);
    }
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* A job with one result, compared so; its values go through gr_type_set. */
static gr_job *judged(gr_type type, int64_t n, gr_bound bound) {
    gr_job *job = drawn(type, n, (gr_fill){.draw = GR_DRAW_BITS}, 0);
    job->args[0].role = GR_OUTPUT;
    job->draws[0].fields[0].bound = bound;
    return job;
}

static gr_verdict ask(const gr_job *job, const void *got, const void *want, size_t want_bytes) {
    gr_verdict verdict;
    wb_error err = {0};
    if (!gr_check(job, 0, got, gr_job_arg_bytes(&job->args[0]), (gr_given){want, want_bytes},
                  &verdict, &err))
        fail_msg("%s", err.text);
    return verdict;
}

/* One value that is off by more than is allowed is found, wherever it is and whatever its type; off
 * by less is right. */
static void test_no_wrong_element_passes(void **state) {
    (void)state;
    static const gr_type types[] = {GR_INT,  GR_FLOAT, GR_DOUBLE, GR_HALF,
                                    GR_BYTE, GR_UINT,  GR_LONG};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        state_of_chance = seed + 1000;
        gr_type type = types[chance(WB_COUNT(types))];
        bool whole = gr_type_is_whole(type);
        gr_bound bound = {.by = whole ? (gr_by)chance(3)
                                      : (gr_by[]){GR_BY_EXACT, GR_BY_BITS, GR_BY_MULTISET,
                                                  GR_BY_ERROR, GR_BY_CONDITION}[chance(5)],
                          .relative = 0.01,
                          .absolute = chance(2) ? 0.5 : 0,
                          .factor = 8};
        bool threads = seed % 20 == 0; /* several threads compare a large array */
        int64_t n = threads ? (1 << 18) + chance(1 << 18) : 1 + chance(400);
        int64_t at = chance((uint32_t)n);
        gr_job *job = judged(type, n, bound);
        size_t bytes = gr_job_arg_bytes(&job->args[0]);
        bool condition = bound.by == GR_BY_CONDITION;
        size_t given = bytes + (condition ? (size_t)n * sizeof(double) : 0);
        char *want = malloc(given + 8), *got = malloc(bytes + 8);
        for (int64_t i = 0; i < n; i++)
            gr_type_set(type, want, i, 10 + chance(90));
        double magnitude = 4096 * gr_type_get(type, want, at);
        for (int64_t i = 0; condition && i < n; i++)
            memcpy(want + bytes + (size_t)i * sizeof(double), &magnitude, sizeof magnitude);
        memcpy(got, want, bytes);
        assert_true(ask(job, got, want, given).passed);
        double right = gr_type_get(type, want, at);
        double allowed = bound.by == GR_BY_ERROR ? 0.01 * right + bound.absolute
                         : condition             ? 8 * gr_type_rounding(type) * magnitude
                                                 : 0;
        if (allowed > 0) {
            gr_type_set(type, got, at, right + 0.9 * allowed);
            assert_true(ask(job, got, want, given).passed);
        }
        gr_type_set(type, got, at, right + 1.1 * allowed + (whole || !allowed ? 1 : 0));
        gr_verdict verdict = ask(job, got, want, given);
        assert_false(verdict.passed);
        assert_int_equal(verdict.wrong, 1);
        char place[40];
        snprintf(place, sizeof place, "in[%lld]", (long long)at);
        if (bound.by != GR_BY_MULTISET && n > 1)
            assert_non_null(strstr(verdict.text, place));
        if (!whole) {
            gr_type_set(type, got, at, NAN);
            assert_false(ask(job, got, want, given).passed);
            gr_type_set(type, want, at, NAN);
            gr_type_set(type, got, at, INFINITY);
            assert_false(ask(job, got, want, given).passed);
            gr_type_set(type, want, at, INFINITY);
            assert_true(ask(job, got, want, given).passed);
            gr_type_set(type, got, at, 1);
            assert_false(ask(job, got, want, given).passed);
        }
        free(want);
        free(got);
        free(job);
    }
}

static void test_a_multiset_has_no_order(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        state_of_chance = seed + 5000;
        int64_t n = 2 + chance(300);
        gr_job *job = judged(GR_INT, n, (gr_bound){.by = GR_BY_MULTISET});
        int32_t *want = malloc((size_t)n * 4), *got = malloc((size_t)n * 4);
        for (int64_t i = 0; i < n; i++)
            want[i] = got[i] = (int32_t)chance(40);
        for (int64_t i = n - 1; i > 0; i--) {
            int64_t k = chance((uint32_t)i + 1);
            int32_t here = got[i];
            got[i] = got[k];
            got[k] = here;
        }
        assert_true(ask(job, got, want, (size_t)n * 4).passed);
        got[chance((uint32_t)n)] += 40; /* what is nowhere among them */
        gr_verdict verdict = ask(job, got, want, (size_t)n * 4);
        assert_false(verdict.passed);
        assert_non_null(strstr(verdict.text, "1 of "));
        assert_non_null(strstr(verdict.text, "once too few"));
        free(want);
        free(got);
        free(job);
    }
}

static void test_what_the_reference_left_must_be_whole(void **state) {
    (void)state;
    gr_job *job = judged(GR_FLOAT, 4, (gr_bound){.by = GR_BY_CONDITION, .factor = 1});
    float data[16] = {0};
    gr_verdict verdict;
    wb_error err = {0};
    assert_false(gr_check(job, 0, data, 16, (gr_given){data, 16}, &verdict, &err));
    assert_false(verdict.passed);
    assert_false(gr_check(job, 0, data, 16, (gr_given){NULL, 0}, &verdict, &err));
    assert_true(gr_check(job, 0, data, 16, (gr_given){data, 48}, &verdict, &err));
    free(job);
}

static void test_exact_sums_stay_below_2_24(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 31, 1000, 99991, 2097152, 9000000, 40000000};
    for (size_t s = 0; s < WB_COUNT(sizes); s++) {
        gr_job *job = drawn(GR_FLOAT, sizes[s], (gr_fill){.draw = GR_DRAW_TERMS}, 7 + s);
        float *x = malloc((size_t)sizes[s] * 4);
        double magnitude = 0, sum = 0;
        gr_input_fill(job, 0, 0, x);
        for (int64_t i = 0; i < sizes[s]; i++) {
            assert_true(x[i] == rintf(x[i]));
            magnitude += fabs(x[i]);
            sum += x[i];
        }
        assert_true(magnitude < 16777216 && magnitude > 0);
        assert_true(fabs(sum) > 0);
        free(x);
        free(job);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_sums_stay_below_2_24),
        cmocka_unit_test(test_a_job_survives_json),
        cmocka_unit_test(test_structs_lie_as_in_c),
        cmocka_unit_test(test_halves_go_there_and_back),
        cmocka_unit_test(test_draws_are_what_was_asked_for),
        cmocka_unit_test(test_means_are_where_they_belong),
        cmocka_unit_test(test_no_wrong_element_passes),
        cmocka_unit_test(test_a_multiset_has_no_order),
        cmocka_unit_test(test_what_the_reference_left_must_be_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
