/* grade_view_test.c: what of a grade a student reads: whole points, each reason once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/magics/grade_view.h"

/* findings: JSON with ' in place of ". */
static json_t *test_of(const char *name, const char *kind, double score, double max,
                       const char *findings) {
    char *text = strdup(findings);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    json_error_t why;
    json_t *list = json_loads(text, 0, &why);
    if (!list)
        fail_msg("%s: %s", why.text, text);
    free(text);
    return json_pack("{s:s, s:s, s:f, s:f, s:s, s:o}", "name", name, "kind", kind, "score", score,
                     "max_score", max, "status",
                     score >= max ? "passed"
                     : score > 0  ? "partial"
                                  : "failed",
                     "findings", list);
}

#define FAULT                                                                                      \
    "'kind': 'fault', 'subject': 'out-of-bounds-write', 'file': 'cell [1]', 'of': 3, 'line': "
#define WRONG "'kind': 'wrong', 'subject': 'out', 'cause': 'edges', 'of': 3, 'runs': 1, 'text': "
#define RACE "'kind': 'race', 'file': 'cell [3]', 'line': 8, 'text': 'race at cell [3]:8 in step'"
#define TIME "{'kind': 'time', 'text': 'this would take long', 'sizes': "
#define LONGEST "{'kind': 'longest-launch', 'cause': 'L2', 'subject': "
#define SPEED "{'kind': 'speed', 'text': 'That is 0.1 of it'}"

/* The text of a grade with these tests, which it takes over; the page to *html where wanted. */
static char *shown(json_t *tests, json_t *finding, char **html) {
    double score = 0, max = 0;
    json_t *test;
    size_t i;
    json_array_foreach(tests, i, test) {
        score += json_number_value(json_object_get(test, "score"));
        max += json_number_value(json_object_get(test, "max_score"));
    }
    const char *message = json_string_value(json_object_get(finding, "text"));
    json_t *grade = json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:o}", "lab", "transpose",
                              "device", "softgpu", "message", message ? message : "", "seed", "0x7",
                              "score", score, "max_score", max, "tests", tests, "findings",
                              finding ? json_pack("[o]", finding) : json_array());
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
    static const char odd[] =
        "[{'sizes': ['rows=33, cols=65', 'rows=1, cols=1'], 'runs': 2, " FAULT
        "4, 'text': 'write at cell [1]:4, out has 2145 elements'}, {'sizes': ['rows=7, cols=9'], "
        "'runs': 1, " FAULT "5, 'text': 'write at cell [1]:5, out has 63 elements'}]";
    static const char unknown[] =
        "[{'runs': 2, " FAULT "4, 'text': 'write at cell [1]:4, out has 77 elements'}]";
    static const char speed[] =
        "[" TIME "['n=64']}, " LONGEST "'turn', 'sizes': ['n=64'], 'text': 'The longest launch is "
        "turn'}, " TIME "['n=96']}, " LONGEST "'turn', 'sizes': ['n=96'], 'text': 'The longest "
        "launch is turn'}, " SPEED
        ", {'kind': 'count', 'subject': 'traffic', 'name': 'bytes moved', 'text': 'too many'}]";
    char *html;
    char *text = shown(json_pack("[o, o, o]", test_of("odd", "test", 0, 10, odd),
                                 test_of("unknown", "test", 0, 10, unknown),
                                 test_of("speed", "performance", 0, 10, speed)),
                       NULL, &html);
    assert_int_equal(count(text, "write at cell [1]:4"), 1);
    assert_int_equal(count(text, "write at cell [1]:5"), 1); /* another line is another reason */
    assert_non_null(strstr(text, "2 tests, 4 runs: odd, unknown: write at cell [1]:4, out has 2145 "
                                 "elements (at rows=33, cols=65)"));
    assert_int_equal(count(text, "this would take long"), 2); /* a time is of its sizes */
    assert_int_equal(count(text, "The longest launch is turn"), 1);
    assert_non_null(
        strstr(text, "Next: fix the first finding, which explains 2 of the 2 correctness"));
    assert_non_null(strstr(html, "2 tests, 4 runs: odd, unknown"));
    assert_true(strstr(html, "[1]:4") < strstr(html, "[1]:5"));
    assert_non_null(strstr(html, "background-color:rgba(213,94,0"));
    free(text);
    free(html);
}

/* Wrong values differ from size to size in their numbers. */
static void wrong_values_are_one_reason(void **state) {
    (void)state;
    static const char square[] = "[{'sizes': ['n=4'], " WRONG "'12 of 16 elements'}, "
                                 "{'sizes': ['n=8'], " WRONG "'56 of 64 elements'}]";
    char *text = shown(json_pack("[o]", test_of("square", "test", 0, 10, square)), NULL, NULL);
    assert_non_null(strstr(text, "1 test, 2 runs: square: 12 of 16"));
    assert_null(strstr(text, "56 of 64"));
    free(text);
}

static void points_are_whole_and_never_too_many(void **state) {
    (void)state;
    char *html, *text = shown(json_pack("[o, o]", test_of("a", "test", 60, 60, "[]"),
                                        test_of("speed", "performance", 39.7, 40, "[" SPEED "]")),
                              NULL, &html);
    assert_non_null(strstr(text, "transpose on softgpu: 99 of 100 points"));
    assert_non_null(strstr(text, "39 of 40"));
    assert_null(strstr(text, "39.7"));
    assert_null(strstr(text, "All points"));
    assert_non_null(strstr(html, "background-color:rgba(0,158,115"));
    free(text);
    free(html);
    text = shown(json_pack("[o]", test_of("a", "test", 10, 10, "[]")), NULL, NULL);
    assert_non_null(strstr(text, "10 of 10 points"));
    assert_non_null(strstr(text, "All points: nothing is left to fix here."));
    free(text);
}

#define SLOW                                                                                       \
    "[" TIME "['n=4']}, " LONGEST                                                                  \
    "'t', 'sizes': ['n=4'], 'text': 'The longest launch is t'}, " SPEED

static void advice_comes_before_causes_and_times(void **state) {
    (void)state;
    static const char advice[] = SLOW ", {'kind': 'count', 'subject': 'store_efficiency', 'name': "
                                      "'coalesced stores', 'text': 'turn it'}]";
    char *text =
        shown(json_pack("[o]", test_of("speed", "performance", 1, 40, advice)), NULL, NULL);
    assert_non_null(strstr(text, "Next: coalesced stores: turn it\n"));
    free(text);
    text = shown(json_pack("[o]", test_of("speed", "performance", 1, 40, SLOW "]")), NULL, NULL);
    assert_non_null(strstr(text, "Next: The longest launch is t\n"));
    free(text);
}

/* Wrong results may follow from a race: it comes first, and what points to it need not be said. */
static void a_race_comes_first(void **state) {
    (void)state;
    static const char step[] = "[{'sizes': ['n=64', 'n=32'], " WRONG
                               "'3 of 4096 elements are wrong'}, {'kind': 'cause-elsewhere', "
                               "'subject': 'no races', 'text': 'The test names a cause'}]";
    static const char races[] = "[{'sizes': ['n=8'], 'runs': 1, 'of': 1, " RACE "}]";
    static const char speed[] = "[{'kind': 'right-first', 'text': 'Right results first.'}, "
                                "{'sizes': ['n=96'], " RACE "}]";
    char *text = shown(json_pack("[o, o, o]", test_of("one step", "test", 0, 10, step),
                                 test_of("no races", "test", 0, 10, races),
                                 test_of("speed", "performance", 0, 10, speed)),
                       NULL, NULL);
    const char *race = strstr(text, "race at cell [3]:8"), *wrong = strstr(text, "3 of 4096");
    assert_true(race && wrong && race < wrong);
    assert_int_equal(count(text, "race at cell [3]:8"), 1);
    assert_int_equal(count(text, "names a cause"), 0);
    assert_non_null(strstr(text, "speed: Right results first.\n"));
    assert_non_null(strstr(text, "Next: fix the first finding"));
    free(text);
}

/* Several kernels, each in a case of its own. */
static void causes_that_differ_name_their_sizes(void **state) {
    (void)state;
    static const char kernels[] =
        "[" TIME "['n=64, m=1']}, " LONGEST "'spot', 'sizes': ['n=64, m=1'], 'text': 'The longest "
        "launch is spot'}, " TIME "['n=1, m=64']}, " LONGEST "'seal', 'sizes': ['n=1, m=64'], "
        "'text': 'The longest launch is seal'}]";
    char *text =
        shown(json_pack("[o]", test_of("speed", "performance", 1, 40, kernels)), NULL, NULL);
    assert_non_null(strstr(text, "The longest launch is spot (at n=64, m=1)"));
    assert_non_null(strstr(text, "The longest launch is seal (at n=1, m=64)"));
    free(text);
}

static void what_does_not_compile_has_its_message(void **state) {
    (void)state;
    char *text = shown(json_array(),
                       json_pack("{s:s, s:s}", "kind", "undefined-name", "text",
                                 "cell [2]:3: identifier \"x\" is undefined"),
                       NULL);
    assert_non_null(strstr(text, "identifier \"x\" is undefined\nThe cell is graded by itself"));
    assert_null(strstr(text, "Next:"));
    assert_non_null(strstr(text, "%%grade transpose --seed 0x7"));
    free(text);
    text = shown(json_array(),
                 json_pack("{s:s, s:s}", "kind", "not-compiled", "text", "y is undefined"), NULL);
    assert_null(strstr(text, "by itself"));
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
