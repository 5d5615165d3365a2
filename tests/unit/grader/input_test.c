/* Inputs: the same from the same seed, others from any other, and of the kind the lab asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/job/input.h"
#include "grader/job/random.h"

/* An input, and a result, of n real numbers from 7 to 13. */
static gr_job a_job(int64_t n) {
    gr_job job = {.n_sets = 1, .sets = {"only"}, .seed = 42, .stream = 1, .n_args = 2};
    job.args[0] = (gr_job_arg){"in", GR_INPUT, GR_FLOAT, n, 0, 0, 0};
    job.args[1] = (gr_job_arg){"out", GR_OUTPUT, GR_FLOAT, n, 0, 0, 0};
    for (int i = 0; i < 2; i++) {
        job.draws[i].n_fields = 1;
        job.draws[i].fields[0].type = GR_FLOAT;
        job.draws[i].fills[0][0] = (gr_fill){.draw = GR_DRAW_UNIFORM, .a = 7, .b = 13};
    }
    return job;
}

/* ChaCha with 8 rounds, written once more in the plainest way. */
static void plain_block(const uint32_t key[16], uint32_t out[16]) {
    uint32_t x[16];
    static const int quarters[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14},
                                       {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12},
                                       {2, 7, 8, 13},  {3, 4, 9, 14}};
    memcpy(x, key, sizeof x);
    for (int round = 0; round < 4; round++)
        for (int q = 0; q < 8; q++) {
            static const int turns[4] = {16, 12, 8, 7};
            const int *i = quarters[q];
            for (int s = 0; s < 4; s++) {
                int to = s % 2 ? i[2] : i[0], from = s % 2 ? i[3] : i[1],
                    turn = s % 2 ? i[1] : i[3];
                x[to] += x[from];
                x[turn] ^= x[to];
                x[turn] = x[turn] << turns[s] | x[turn] >> (32 - turns[s]);
            }
        }
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + key[i];
}

static void test_generator_is_chacha8(void **state) {
    (void)state;
    uint32_t words[400];
    gr_random_fill(0x1122334455667788u, 3, 4, 5, words, 400);
    for (uint32_t block = 0; block < 25; block++) {
        uint32_t key[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x55667788, 0x11223344,
                            3,          4,          5,          0x77617270, 0x626f6f6b, 1,
                            block,      0,          0,          0};
        uint32_t want[16];
        plain_block(key, want);
        assert_memory_equal(want, words + 16 * block, sizeof want);
    }
}

static void test_length_does_not_change_the_words(void **state) {
    (void)state;
    uint32_t all[1000], some[1000];
    gr_random_fill(9, 8, 7, 6, all, 1000);
    for (size_t n = 0; n < 1000; n += 61) {
        gr_random_fill(9, 8, 7, 6, some, n);
        assert_memory_equal(all, some, n * sizeof all[0]);
    }
}

static void test_every_part_of_the_key_counts(void **state) {
    (void)state;
    const uint64_t keys[][4] = {{1, 0, 0, 0}, {1ull << 40, 0, 0, 0}, {0, 1, 0, 0},
                                {0, 0, 1, 0}, {0, 0, 0, 1},          {0, 0, 0, 0}};
    uint32_t words[6][64];
    for (int i = 0; i < 6; i++)
        gr_random_fill(keys[i][0], (uint32_t)keys[i][1], (uint32_t)keys[i][2], (uint32_t)keys[i][3],
                       words[i], 64);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            for (int w = 0; w < 64; w++)
                assert_int_not_equal(words[i][w], words[j][w]);
}

static void test_seeds_differ(void **state) {
    (void)state;
    uint64_t a = 0, b = 0;
    assert_true(gr_seed_new(&a, NULL) && gr_seed_new(&b, NULL));
    assert_int_not_equal(a, b);
}

static void test_real_values_fill_their_range(void **state) {
    (void)state;
    gr_job job = a_job(10000);
    float a[10000];
    double mean = 0, low = 1e9, high = -1e9;
    gr_input_fill(&job, 0, 5, a);
    for (int i = 0; i < 10000; i++) {
        mean += a[i] / 10000;
        low = fmin(low, a[i]);
        high = fmax(high, a[i]);
    }
    assert_true(low > 6.97 && low < 7.01 && high <= 13 && high > 12.96);
    assert_true(fabs(mean - 10) < 0.1);
}

static void test_runs_differ_and_repeat(void **state) {
    (void)state;
    gr_job job = a_job(10000);
    float a[10000], b[10000], c[10000];
    gr_input_fill(&job, 0, 0, a);
    gr_input_fill(&job, 0, 0, b);
    gr_input_fill(&job, 0, 1, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

/* Many elements are drawn by several threads, few by one. Element i is the same. */
static void test_threads_do_not_change_the_numbers(void **state) {
    (void)state;
    enum { N = 3 * 1000 * 1000 + 7, FEW = 200 * 1000 };
    static const gr_draw draws[] = {GR_DRAW_UNIFORM, GR_DRAW_NORMAL, GR_DRAW_SPARSE};
    gr_job job = a_job(N);
    float *many = malloc(N * sizeof *many), *few = malloc(FEW * sizeof *few);
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        job.draws[0].fills[0][0].draw = draws[i];
        job.draws[0].fills[0][0].c = 0.5;
        job.args[0].count = N;
        gr_input_fill(&job, 0, 3, many);
        job.args[0].count = FEW;
        gr_input_fill(&job, 0, 3, few);
        assert_memory_equal(many, few, FEW * sizeof *few);
        int other = 0; /* no thread left its part out */
        for (int k = FEW; k < N; k += 1000)
            other += many[k] != many[k - 1];
        assert_true(other > (N - FEW) / 1000 / 4);
    }
    free(many);
    free(few);
}

/* Many floats side by side take another path than doubles and give the same numbers. */
static void test_terms_are_the_same_as_floats_and_doubles(void **state) {
    (void)state;
    enum { N = 6000001 };
    gr_job job = a_job(N);
    float *narrow = malloc(N * sizeof *narrow);
    double *wide = malloc(N * sizeof *wide);
    job.draws[0].fills[0][0] = (gr_fill){.draw = GR_DRAW_TERMS};
    gr_input_fill(&job, 0, 3, narrow);
    job.args[0].type = job.draws[0].fields[0].type = GR_DOUBLE;
    gr_input_fill(&job, 0, 3, wide);
    size_t telling = 0, below = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true((double)narrow[i] == wide[i]);
        telling += fabs(wide[i]) > 4096;
        below += wide[i] < 0;
    }
    assert_in_range(telling, 1200, 1700);
    assert_in_range(below, 200, 350);
    free(narrow);
    free(wide);
}

static void test_outputs_are_poisoned(void **state) {
    (void)state;
    gr_job job = a_job(1);
    float out = 0;
    gr_input_fill(&job, 1, 0, &out);
    assert_true(isnan(out));
    unsigned char odd[7] = {0}, want[8];
    gr_poison(want, 8, GR_POISON);
    gr_poison(odd, 7, GR_POISON);
    assert_memory_equal(odd, want, 7);
    double wide;
    gr_poison(&wide, 8, GR_POISON);
    assert_true(isnan(wide));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generator_is_chacha8),
        cmocka_unit_test(test_length_does_not_change_the_words),
        cmocka_unit_test(test_every_part_of_the_key_counts),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_real_values_fill_their_range),
        cmocka_unit_test(test_runs_differ_and_repeat),
        cmocka_unit_test(test_threads_do_not_change_the_numbers),
        cmocka_unit_test(test_terms_are_the_same_as_floats_and_doubles),
        cmocka_unit_test(test_outputs_are_poisoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
