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
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_turned_the_wrong_way),
        cmocka_unit_test(test_a_row_is_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
