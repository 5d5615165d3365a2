/* Our labs' own references: right results pass, every way of being wrong is seen, and what it comes
 * of is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/job/input.h"
#include "tests/unit/grader/our_labs.h"

/* ---- sums ------------------------------------------------------------------------------------ */

static void test_reduce(void **state) {
    (void)state;
    gr_job job = our_job("reduce", "exact", "n=70000");
    float *in = our_input(&job, "in"), forward = 0, backward = 0;
    for (int i = 0; i < 70000; i++)
        forward += in[i];
    for (int i = 70000; i-- > 0;)
        backward += in[i];
    assert_true(forward == backward);
    assert_true(our_pass("reduce", &job, &forward));
    float off = nextafterf(forward, 0);
    our_words("reduce", &job, &off, "expected exactly");
    our_words("reduce", &job, &off, "out[0] is wrong: "); /* not 1 of 1 elements */
    uint32_t poison = GR_POISON;
    our_words("reduce", &job, &poison, "set them to 0 first (cudaMemsetAsync)");
    free(in);
    job = our_job("reduce", "around a half", "n=70000");
    in = our_input(&job, "in");
    float serial = 0;
    double right = 0, magnitude = 0;
    for (int i = 0; i < 70000; i++) {
        serial += in[i];
        right += in[i];
        magnitude += fabsf(in[i]);
    }
    assert_true(our_pass("reduce", &job,
                         &serial)); /* even one thread alone is within what rounding explains */
    off = (float)(right + 2000 * 0x1p-24 * magnitude);
    our_words("reduce", &job, &off, "rounding explains at most");
    off = (float)NAN;
    our_words("reduce", &job, &off, "NaN");
    off = (float)INFINITY;
    our_words("reduce", &job, &off, "inf");
    free(in);
    job = our_job("reduce", "exact", "n=0");
    off = 0;
    assert_true(our_pass("reduce", &job, &off));
    off = 1;
    our_words("reduce", &job, &off, "expected exactly 0");
}

static void test_sums(void **state) {
    (void)state;
    gr_job job = our_job("coalescing", "exact", "rows=30 cols=50");
    float *m = our_input(&job, "m"), sums[80] = {0};
    for (int r = 0; r < 30; r++)
        for (int c = 0; c < 50; c++) {
            sums[r] += m[r * 50 + c];
            sums[30 + c] += m[r * 50 + c];
        }
    assert_true(our_pass("coalescing", &job, sums));
    sums[79] += 1;
    our_words("coalescing", &job, sums, "col_sums[49]");
    sums[29] += 1;
    our_words("coalescing", &job, sums, "row_sums[29]");
    free(m);
}

/* The float with `bits` bits of precision that is nearest. */
static float rounded_to(float x, int bits) {
    uint32_t w, drop = 24u - (uint32_t)bits;
    memcpy(&w, &x, 4);
    w = (w + (1u << (drop - 1)) - 1 + (w >> drop & 1)) >> drop << drop;
    memcpy(&x, &w, 4);
    return x;
}

/* Inputs of TF32 or half, bfloat16 and 8-bit floats, rounded to the nearest, added up without any
 * further error. */
static void test_low_precision_shows_in_sums(void **state) {
    (void)state;
    static const int64_t exact[] = {1, 31, 1000, 5000, 99991, 3000000, 16777216};
    static const int64_t real[] = {2, 31, 300, 1000};
    static const int bits[] = {11, 8, 4, 3};
    for (size_t s = 0; s < WB_COUNT(exact) + WB_COUNT(real); s++) {
        bool whole = s < WB_COUNT(exact);
        char sizes[40];
        snprintf(sizes, sizeof sizes, "n=%lld",
                 (long long)(whole ? exact[s] : real[s - WB_COUNT(exact)]));
        gr_job job = our_job("reduce", whole ? "exact" : "around 1", sizes);
        int64_t n = gr_job_find(&job, "n")->count;
        float *in = our_input(&job, "in");
        for (size_t b = 0; b < WB_COUNT(bits); b++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += rounded_to(in[i], bits[b]);
            float result = (float)sum;
            assert_false(our_verdict("reduce", &job, &result).passed);
        }
        free(in);
    }
}

/* From the front, from the back, in `threads` strided parts that are added up after that. */
static void test_sums_in_any_order_pass(void **state) {
    (void)state;
    static const struct {
        const char *sizes, *values;
    } kinds[] = {
        {"n=3", "around a half"}, {"n=1000", "around 1"},        {"n=1024", "tiny"},
        {"n=30000", "large"},     {"n=100000", "around a half"}, {"n=300000", "around -2"}};
    for (size_t k = 0; k < WB_COUNT(kinds); k++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            gr_job job = our_job("reduce", kinds[k].values, kinds[k].sizes);
            job.seed = seed;
            int64_t n = gr_job_find(&job, "n")->count;
            float *in = our_input(&job, "in"), front = 0, back = 0, joined = 0;
            for (int64_t i = 0; i < n; i++) {
                front += in[i];
                back += in[n - 1 - i];
            }
            for (int64_t t = 0; t < 256; t++) {
                float part = 0;
                for (int64_t i = t; i < n; i += 256)
                    part += in[i];
                joined += part;
            }
            assert_true(our_pass("reduce", &job, &front));
            assert_true(our_pass("reduce", &job, &back));
            assert_true(our_pass("reduce", &job, &joined));
            free(in);
        }
}

/* From `from` to below `to`, every `by`th, `times` over. */
static float partly(const float *in, int from, int to, int by, float times) {
    double sum = 0;
    for (int i = from; i < to; i += by)
        sum += in[i];
    return (float)sum * times;
}

static void test_parts_of_a_sum(void **state) {
    (void)state;
    gr_job job = our_job("reduce", "exact", "n=5000");
    float *in = our_input(&job, "in");
    const struct {
        int from, to, by, times;
        const char *words;
    } parts[] = {{1, 5000, 1, 1, "all but the first element"},
                 {0, 4999, 1, 1, "all but the last element"},
                 {0, 256, 1, 1, "the first 256 of 5000 elements alone"},
                 {0, 4864, 1, 1, "the last 136, which fill no block of 256, are missing"},
                 {0, 5000, 32, 1, "the sum of one element in 32"},
                 {0, 5000, 1, 8, "That is 8 times the sum"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        float sum = partly(in, parts[i].from, parts[i].to, parts[i].by, (float)parts[i].times);
        our_words("reduce", &job, &sum, parts[i].words);
        sum += 333;
        gr_verdict v = our_verdict("reduce", &job, &sum);
        assert_null(strstr(v.text, "That is"));
    }
    free(in);
    /* of one real number nothing is said: it may be near any part's sum by chance */
    job = our_job("reduce", "around a half", "n=5000");
    in = our_input(&job, "in");
    float sum = partly(in, 0, 4096, 1, 1);
    gr_verdict one = our_verdict("reduce", &job, &sum);
    assert_false(one.passed);
    assert_null(strstr(one.text, "That is"));
    free(in);
    job = our_job("coalescing", "exact", "rows=3 cols=40");
    in = our_input(&job, "m");
    float sums[43];
    for (int r = 0; r < 3; r++)
        sums[r] = partly(in, r * 40, r * 40 + 32, 1, 1);
    for (int c = 0; c < 40; c++)
        sums[3 + c] = partly(in, c, 120, 40, 1);
    our_words("coalescing", &job, sums, "the first 32 of 40 elements");
    for (int r = 0; r < 3; r++)
        sums[r] = partly(in, r * 40, r * 40 + 40, 1, 1);
    for (int c = 0; c < 40; c++)
        sums[3 + c] = partly(in, c, 80, 40, 1);
    our_words("coalescing", &job, sums, "all but the last element");
    free(in);
    job = our_job("coalescing", "around a half", "rows=40 cols=40");
    in = our_input(&job, "m");
    float square[80];
    for (int i = 0; i < 40; i++) {
        square[i] = partly(in, i, 1600, 40, 1);
        square[40 + i] = partly(in, i * 40, i * 40 + 40, 1, 1);
    }
    our_words("coalescing", &job, square, "row_sums holds what belongs into col_sums");
    free(in);
}

/* ---- transpose ------------------------------------------------------------------------------- */

static void test_transpose(void **state) {
    (void)state;
    gr_job job = our_job("transpose", "bits", "rows=33 cols=70");
    enum { ROWS = 33, COLS = 70, BYTES = ROWS * COLS * 4 };
    uint32_t *in = our_input(&job, "in"), out[ROWS * COLS];
    int zeros = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            out[c * ROWS + r] = in[r * COLS + c];
    assert_true(our_pass("transpose", &job, out));
    for (int i = 0; i < ROWS * COLS; i++)
        if (out[i] == 0x80000000u) {
            out[i] = 0; /* -0 and 0 are equal, and not the same */
            our_words("transpose", &job, out, "1 of 2310 elements of out is wrong");
            our_words("transpose", &job, out, "do not compute with them");
            out[i] = 0x80000000u;
            zeros++;
        }
    assert_int_equal(zeros, 1);
    out[69 * 33 + 32] ^= 1;
    our_words("transpose", &job, out, "out[2309] (row 69, column 32)");
    out[69 * 33 + 32] ^= 1;
    gr_poison(out + 100, 40, GR_POISON);
    our_words("transpose", &job, out, "never written");
    our_words("transpose", &job, in, "it was copied, not transposed");
    gr_poison(out, BYTES, GR_POISON);
    our_words("transpose", &job, out, "Nothing was written there");
    gr_poison(out, BYTES, GR_POISON_TEMPORARY);
    our_words("transpose", &job, out, "read before anything was written there");
    free(in);
}

/* Element (r, c) of a 64 x 64 matrix comes from (from_r, from_c) of the input. */
static void test_turned_the_wrong_way(void **state) {
    (void)state;
    enum { N = 64 };
    gr_job job = our_job("transpose", "bits", "rows=64 cols=64");
    uint32_t *in = our_input(&job, "in"), out[N * N];
    for (int i = 0; i < N * N; i++) {
        int r = i / N, c = i % N;
        out[i] = in[(r / 32 * 32 + c % 32) * N + c / 32 * 32 + r % 32];
    }
    our_words("transpose", &job, out, "Each tile of 32 x 32 is turned, and lies where it lay");
    for (int i = 0; i < N * N; i++) {
        int r = i / N, c = i % N;
        out[i] = in[(c / 16 * 16 + r % 16) * N + r / 16 * 16 + c % 16];
    }
    our_words("transpose", &job, out,
              "The tiles of 16 x 16 have changed places, and none is turned");
    out[5] ^= 1; /* no longer every element */
    gr_verdict v = our_verdict("transpose", &job, out);
    assert_null(strstr(v.text, "tile"));
    free(in);
    job = our_job("transpose", "bits", "rows=70 cols=20");
    in = our_input(&job, "in");
    gr_poison(out, sizeof out, GR_POISON);
    for (int r = 0; r < 20; r++) /* out has rows of 70: the rest is not written */
        for (int c = 0; c < 20; c++)
            out[r * 70 + c] = in[r * 20 + c];
    our_words("transpose", &job, out, "Row and column have not changed places");
    out[0] ^= 1;
    v = our_verdict("transpose", &job, out);
    assert_null(strstr(v.text, "changed places"));
    free(in);
    job = our_job("transpose", "bits", "rows=20 cols=70");
    in = our_input(&job, "in");
    for (int i = 0; i < 20 * 70; i++)
        out[i] = in[i % 20 * 20 + i / 20];
    our_words("transpose", &job, out, "Every element is what in[r * rows + c] gives");
    free(in);
}

/* A few elements that agree are no sign of a mistake. */
static void test_a_row_is_no_copy(void **state) {
    (void)state;
    gr_job job = our_job("transpose", "bits", "rows=1 cols=9");
    uint32_t *in = our_input(&job, "in");
    in[8] ^= 1;
    gr_verdict v = our_verdict("transpose", &job, in);
    assert_int_equal(v.wrong, 1);
    assert_null(strstr(v.text, "places"));
    assert_null(strstr(v.text, "copied"));
    free(in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_low_precision_shows_in_sums),
        cmocka_unit_test(test_sums_in_any_order_pass),
        cmocka_unit_test(test_parts_of_a_sum),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_turned_the_wrong_way),
        cmocka_unit_test(test_a_row_is_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
