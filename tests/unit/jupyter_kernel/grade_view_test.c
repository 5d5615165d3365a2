/* grade_view_test.c: what of a grade a student reads: whole points, each reason once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/magics/grade_view.h"

static json_t *test_of(const char *name, const char *kind, double score, double max,
                       const char *output) {
    return json_pack("{s:s, s:s, s:f, s:f, s:s, s:s}", "name", name, "kind", kind, "score", score,
                     "max_score", max, "status",
                     score >= max ? "passed"
                     : score > 0  ? "partial"
                                  : "failed",
                     "output", output);
}

/* The text of a grade with these tests, which it takes over; the page to *html where wanted. */
static char *shown(json_t *tests, const char *message, char **html) {
    double score = 0, max = 0;
    json_t *test;
    size_t i;
    json_array_foreach(tests, i, test) {
        score += json_number_value(json_object_get(test, "score"));
        max += json_number_value(json_object_get(test, "max_score"));
    }
    json_t *grade = json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o}", "lab", "transpose", "device",
                              "softgpu", "message", message, "seed", "0x7", "score", score,
                              "max_score", max, "tests", tests);
    json_t *bundle = grade_view(grade);
    char *text = strdup(json_string_value(json_object_get(bundle, "text/plain")));
    if (html)
        *html = strdup(json_string_value(json_object_get(bundle, "text/html")));
    json_decref(bundle);
    json_decref(grade);
    return text;
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void a_reason_is_told_once(void **state) {
    (void)state;
    char *html,
        *text = shown(
            json_pack(
                "[o, o, o]",
                test_of("odd", "test", 0, 10,
                        "rows=33, cols=65: write at cell [1]:4, block (2, 0): out has 2145 "
                        "elements\nrows=1, cols=1: write at cell [1]:4, block (0, 0): out has 1 "
                        "element\nrows=7, cols=9: write at cell [1]:5, block (0, 0): out has 63 "
                        "elements"),
                test_of("unknown", "test", 0, 10,
                        "2 of 5 hidden sizes: write at cell [1]:4, block (9, 1): out has 77 "
                        "elements"),
                test_of("speed", "performance", 0, 10,
                        "rows=64, cols=64: this would take 9 \u00b5s. The longest launch is turn\n"
                        "rows=96, cols=64: this would take 8 \u00b5s. The longest launch is turn\n"
                        "That is 0.1 of the reference's speed\nbytes moved: too many")),
            "", &html);
    assert_int_equal(count(text, "write at cell [1]:4"), 1);
    assert_int_equal(count(text, "write at cell [1]:5"), 1); /* another line is another reason */
    assert_non_null(strstr(text,
                           "2 tests, 4 runs: odd, unknown: write at cell [1]:4, block (2, 0): "
                           "out has 2145 elements (at rows=33, cols=65)"));
    assert_int_equal(count(text, "The longest launch is turn"), 1);
    assert_non_null(strstr(text, "Next: mend the first reason, which explains 2 of the 2 tests"));
    assert_non_null(strstr(html, "2 tests, 4 runs: odd, unknown"));
    assert_true(strstr(html, "[1]:4") < strstr(html, "[1]:5"));
    assert_non_null(strstr(html, "background-color:rgba(213,94,0"));
    free(text);
    free(html);
}

/* Wrong values differ from size to size in their bits. */
static void wrong_values_are_one_reason(void **state) {
    (void)state;
    char *text =
        shown(json_pack("[o]",
                        test_of("square", "test", 0, 10,
                                "rows=4, cols=4: 12 of 16 elements are wrong; the first is out[1]: "
                                "the bits 0x10e1db5c (8.9e-29), expected 0xb73af1d9 (-1.1e-05)\n"
                                "rows=8, cols=8: 56 of 64 elements are wrong; the first is out[1]: "
                                "the bits 0xbe474525 (-0.1946), expected 0xfe130fd9 (-4.8e+37)")),
              "", NULL);
    assert_non_null(strstr(text, "1 test, 2 runs: square: 12 of 16"));
    assert_null(strstr(text, "56 of 64"));
    free(text);
}

static void points_are_whole_and_never_too_many(void **state) {
    (void)state;
    char *html, *text = shown(json_pack("[o, o]", test_of("a", "test", 60, 60, ""),
                                        test_of("speed", "performance", 39.7, 40,
                                                "That is 0.79 of the reference's speed")),
                              "", &html);
    assert_non_null(strstr(text, "transpose on softgpu: 99 of 100 points"));
    assert_non_null(strstr(text, "39 of 40"));
    assert_null(strstr(text, "39.7"));
    assert_null(strstr(text, "All points"));
    assert_non_null(strstr(html, "background-color:rgba(0,158,115"));
    free(text);
    free(html);
    text = shown(json_pack("[o]", test_of("a", "test", 10, 10, "")), "", NULL);
    assert_non_null(strstr(text, "10 of 10 points"));
    assert_non_null(strstr(text, "All points: nothing is left to mend here."));
    free(text);
}

static void advice_comes_before_causes_and_times(void **state) {
    (void)state;
    char *text = shown(json_pack("[o]", test_of("speed", "performance", 1, 40,
                                                "rows=64, cols=64: slow. The longest launch is t\n"
                                                "That is 0.1 of it\ncoalesced stores: turn it")),
                       "", NULL);
    assert_non_null(strstr(text, "Next: coalesced stores: turn it\n"));
    free(text);
    text = shown(json_pack("[o]", test_of("speed", "performance", 1, 40,
                                          "rows=64, cols=64: slow. The longest launch is t\n"
                                          "That is 0.1 of it")),
                 "", NULL);
    assert_non_null(strstr(text, "Next: The longest launch is t\n"));
    free(text);
}

/* Wrong results may follow from a race: it comes first, and what points to it need not be said. */
static void a_race_comes_first(void **state) {
    (void)state;
    char *text = shown(
        json_pack("[o, o, o]",
                  test_of("one step", "test", 0, 10,
                          "rows=64, cols=64: 3 of 4096 elements are wrong\nrows=32, cols=64: 5 of "
                          "2048 elements are wrong\nThe test \"no races\" names a cause: mend that "
                          "first."),
                  test_of("no races", "test", 0, 10,
                          "rows=8, cols=8: race at cell [3]:8 in step: a barrier is missing"),
                  test_of("speed", "performance", 0, 10,
                          "Performance counts for right results only. rows=96, cols=64: race at "
                          "cell [3]:8 in step: a barrier is missing")),
        "", NULL);
    const char *race = strstr(text, "race at cell [3]:8"), *wrong = strstr(text, "3 of 4096");
    assert_true(race && wrong && race < wrong);
    assert_int_equal(count(text, "race at cell [3]:8"), 1);
    assert_int_equal(count(text, "names a cause"), 0);
    assert_non_null(strstr(text, "speed: Performance counts for right results only.\n"));
    assert_non_null(strstr(text, "Next: mend the first reason"));
    free(text);
}

/* Several kernels, each in a case of its own. */
static void causes_that_differ_name_their_sizes(void **state) {
    (void)state;
    char *text = shown(json_pack("[o]", test_of("speed", "performance", 1, 40,
                                                "n=64, m=1: slow. The longest launch is spot\n"
                                                "n=1, m=64: slow. The longest launch is seal")),
                       "", NULL);
    assert_non_null(strstr(text, "The longest launch is spot (at n=64, m=1)"));
    assert_non_null(strstr(text, "The longest launch is seal (at n=1, m=64)"));
    free(text);
}

static void what_does_not_compile_has_its_message(void **state) {
    (void)state;
    char *text = shown(json_array(), "cell [2]:3: identifier \"x\" is undefined", NULL);
    assert_non_null(strstr(text, "identifier \"x\" is undefined\nThe cell is graded by itself"));
    assert_null(strstr(text, "Next:"));
    assert_non_null(strstr(text, "%%grade transpose --seed 0x7"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reason_is_told_once),
        cmocka_unit_test(wrong_values_are_one_reason),
        cmocka_unit_test(points_are_whole_and_never_too_many),
        cmocka_unit_test(advice_comes_before_causes_and_times),
        cmocka_unit_test(a_race_comes_first),
        cmocka_unit_test(causes_that_differ_name_their_sizes),
        cmocka_unit_test(what_does_not_compile_has_its_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
