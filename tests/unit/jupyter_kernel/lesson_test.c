/* lesson_test.c: a lab's steps.json, what is wrong with one, answers to it, and what is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jupyter_kernel/steps/answer.h"
#include "jupyter_kernel/steps/figure.h"
#include "jupyter_kernel/steps/lesson.h"
#include "jupyter_kernel/steps/progress.h"

#define PREDICT                                                                                    \
    "{\"name\": \"a\", \"kind\": \"predict\", \"title\": \"A\", \"text\": [\"one\", \"two\"],\n"   \
    " \"hints\": [\"think\"], \"answer\": 12.5, \"unit\": \"%\", \"right\": \"yes\",\n"            \
    " \"wrong\": [{\"is\": 8, \"say\": \"eight\"}, {\"from\": 20, \"to\": 30, \"say\": "           \
    "\"much\"}],\n"                                                                                \
    " \"otherwise\": \"no\"}"
#define CHOOSE                                                                                     \
    "{\"name\": \"b\", \"kind\": \"predict\", \"title\": \"B\", \"text\": \"t\", \"hints\": "      \
    "[\"h\"],\n"                                                                                   \
    " \"answer\": \"rows\", \"choices\": {\"rows\": \"right\", \"columns\": \"wrong\"}}"
#define TRY                                                                                        \
    "{\"name\": \"c\", \"kind\": \"try\", \"title\": \"C\", \"text\": \"t\", \"hints\": "          \
    "[\"h\"],\n"                                                                                   \
    " \"signature\": \"void turn(float *a)\", \"start\": [\"____\"], \"check\": \"steps/c.cu\",\n" \
    " \"solution\": \"steps/c.solution.cu\", \"right\": \"good\",\n"                               \
    " \"counts\": [{\"kernel\": \"turn\", \"of\": \"loads\", \"at_most\": 4, \"say\": \"s\"}]}"
#define LESSON(steps) "{\"version\": 1, \"title\": \"T\", \"steps\": [\n" steps "\n]}"

static lesson *parse(const char *text, wb_error *err) {
    return lesson_parse("lab", "folder", "steps.json", text, strlen(text), err);
}

static void test_a_lesson(void **state) {
    (void)state;
    wb_error err = {0};
    lesson *l = parse(LESSON(PREDICT ",\n" CHOOSE ",\n" TRY), &err);
    assert_string_equal(err.text, "");
    assert_int_equal(lesson_count(l), 3);
    assert_string_equal(wb_field_text(lesson_step(l, 0), "text"), "one\ntwo");
    assert_int_equal(lesson_kind(lesson_step(l, 2)), STEP_TRY);
    assert_int_equal(lesson_place(l, lesson_named(l, "c")), 3);
    assert_null(lesson_named(l, "d"));
    char *function = lesson_function(lesson_step(l, 2));
    assert_string_equal(function, "turn");
    free(function);
    lesson_free(l);
}

/* The text with `from` replaced by `to` is refused, and the words say where and why. */
static void refuse(const char *from, const char *to, const char *where) {
    static const char good[] = LESSON(PREDICT ",\n" CHOOSE ",\n" TRY);
    const char *at = strstr(good, from);
    assert_non_null(at);
    char *text = wb_format("%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    wb_error err = {0};
    lesson *l = parse(text, &err);
    if (l || !strstr(err.text, where))
        print_error("'%s' for '%s' gives '%s'\n", to, from, err.text);
    assert_null(l);
    assert_non_null(strstr(err.text, where));
    free(text);
}

static void test_mistakes(void **state) {
    (void)state;
    refuse("\"version\": 1", "\"version\": 2", "steps.json:1: version: expected 1");
    refuse("{\"version\"", "{{\"version\"", "steps.json:1: ");
    refuse("\"unit\"", "\"units\"",
           "steps.json:3: steps[0].units: there is no such key, did you mean unit?");
    refuse("\"hints\": [\"think\"]", "\"hints\": []", "steps[0].hints: expected 1 to 6 hints");
    refuse("\"is\": 8", "\"is\": 12.5",
           "steps.json:4: steps[0].wrong[0]: speaks of 12.5, which is the answer");
    refuse("\"from\": 20", "\"from\": 10", "steps[0].wrong[1]: speaks of");
    refuse("\"is\": 8, ", "", "expected \"is\", or \"from\" and \"to\"");
    refuse("\"otherwise\": \"no\"", "\"within\": 0.1", "steps[0].otherwise: missing");
    refuse("\"answer\": \"rows\"", "\"answer\": \"row\"",
           "steps[1].answer: expected one of the choices");
    refuse("\"name\": \"b\"", "\"name\": \"a\"",
           "steps[1].name: the name 'a' is steps[0]'s already");
    refuse("\"name\": \"b\"", "\"name\": \"b-1\"", "steps[1].name: expected a name");
    refuse("\"kind\": \"try\"", "\"kind\": \"tries\"",
           "steps[2].kind: expected \"predict\", \"try\" or \"grade\"");
    refuse("\"steps/c.cu\"", "\"/etc/c.cu\"", "steps[2].check: expected a .cu file");
    refuse("\"steps/c.cu\"", "\"../c.cu\"", "steps[2].check: expected a .cu file");
    refuse("void turn(float *a)", "turn", "steps[2].signature: expected a function");
    refuse("\"of\": \"loads\"", "\"of\": \"load\"", "there is no figure 'load'");
    refuse("\"at_most\": 4, ", "", "expected \"at_most\" or \"at_least\"");
    refuse("\"at_most\": 4, ", "\"at_most\": 4, \"because\": [{\"of\": \"lane\"}], ",
           "steps[2].counts[0].because[0].say: missing");
    refuse("\"at_most\": 4, ",
           "\"at_most\": 4, \"because\": [{\"of\": \"lanes\", \"at_most\": 1, \"say\": \"s\", "
           "\"because\": []}], ",
           "because[0].because: there is no such key");
}

/* A translation of two steps of GOOD: "" where it fits, or what is said of it. */
static void speak(const char *text, const char *says) {
    wb_error err = {0};
    lesson *l = parse(LESSON(PREDICT ",\n" CHOOSE), &err);
    assert_non_null(l);
    bool ok = lesson_speak(l, "steps.zh.json", text, strlen(text), &err);
    if (!strstr(err.text, says))
        print_error("'%s' gives '%s'\n", text, err.text);
    assert_int_equal(ok, !*says);
    assert_non_null(strstr(err.text, says));
    if (ok) {
        assert_string_equal(wb_field_text(lesson_step(l, 0), "text"), "eins\nzwei");
        assert_string_equal(wb_field_text(lesson_step(l, 0), "unit"), "Prozent");
        assert_string_equal(wb_field_text(lesson_step(l, 0), "unit_too"), "%");
        assert_string_equal(wb_field_text(lesson_step(l, 0), "otherwise"), "no");
        char *say = NULL, *value = NULL;
        assert_int_equal(answer_judge(lesson_step(l, 0), "25 Prozent", &say, &value), ANSWER_WRONG);
        assert_string_equal(say, "viel");
        free(say);
        free(value);
        assert_int_equal(answer_judge(lesson_step(l, 1), "rows", &say, &value), ANSWER_RIGHT);
        assert_string_equal(say, "richtig");
        free(say);
        free(value);
    }
    lesson_free(l);
}

static void test_translations(void **state) {
    (void)state;
#define A(more) "{\"name\": \"a\", \"text\": [\"eins\", \"zwei\"], " more "}"
#define B                                                                                          \
    "{\"name\": \"b\", \"words\": {\"rows\": \"Zeilen Reihen\"}, \"choices\": {\"rows\": "         \
    "\"richtig\"}}"
#define WRONG "{\"is\": 8}, {\"from\": 20, \"to\": 30, \"say\": \"viel\"}"
    speak("{\"steps\": [" A("\"unit\": \"Prozent\", \"wrong\": [" WRONG "]") ",\n" B "]}", "");
    speak("{\"steps\": [" B ",\n" A("\"unit\": \"P\"") "]}",
          "steps.zh.json:1: steps[0].name: is not what steps.json has");
    speak("{\"steps\": [\n" B "]}", "steps.zh.json:1: steps: expected a list of 2");
    speak("{\"steps\": [" A("\"wrong\": [{\"is\": 9}, {}]") "," B "]}",
          "steps[0].wrong[0].is: is not what");
    speak("{\"steps\": [" A("\"hints\": [\"a\", \"b\"]") "," B "]}",
          "steps[0].hints: expected a list of 1");
    speak("{\"steps\": [" A("\"hints\": [\"\"]") "," B "]}", "steps[0].hints[0]: expected a text");
    speak("{\"steps\": [" A("\"answer\": 1") "," B "]}", "steps[0].answer: is no text");
    speak("{\"steps\": [" A("\"right\": \"r\"") ", {\"words\": {\"row\": \"Zeilen\"}}]}",
          "steps[1].words: 'row' is no choice");
    speak("{\"steps\": [" A("\"words\": {}") "," B "]}", "steps[0].words: steps.json has no such");
    speak("{\"steps\": [" A("\"titel\": \"x\"") "," B "]}", "steps[0].titel: steps.json has no");
    speak("{\"steps\": [" A("\"right\": 4") ",\n" B "]}", "steps[0].right: expected a text");
    speak("{\"steps\"", "steps.zh.json:1: ");
#undef A
#undef B
#undef WRONG
}

/* Readers of one language may answer in the other: their texts stay as they are. */
static void test_answers_in_the_other_language(void **state) {
    (void)state;
    static const char text[] =
        "{\"title\": \"甲\", \"steps\": [{\"name\": \"a\", \"unit\": \"个扇区\", \"hints\": "
        "[\"想\"]}, {\"name\": \"b\", \"words\": {\"rows\": \"按行 行\"}, \"choices\": {\"rows\": "
        "\"对\"}}]}";
    wb_error err = {0};
    lesson *l = parse(LESSON(PREDICT ",\n" CHOOSE), &err);
    json_t *chinese = json_loads(text, 0, NULL);
    assert_non_null(chinese);
    lesson_hear(l, chinese);
    json_decref(chinese);
    const json_t *step = lesson_step(l, 0), *choose = lesson_step(l, 1);
    assert_string_equal(wb_field_text(l->root, "title"), "T");
    assert_string_equal(wb_field_text(step, "unit"), "%");
    assert_string_equal(json_string_value(json_array_get(json_object_get(step, "hints"), 0)),
                        "think");
    static const char *const right[] = {"按行", "行。", " “按行” ", "ROWS", "ｒｏｗｓ", "`rows`."};
    static const char *const numbers[] = {"12.5个扇区", "１２．５",     "12,5 扇区",
                                          "百分之12.5", "12.5 percent", "12.5％。"};
    char *say, *value;
    for (size_t i = 0; i < WB_COUNT(right) + WB_COUNT(numbers); i++) {
        bool number = i >= WB_COUNT(right);
        const char *answer = number ? numbers[i - WB_COUNT(right)] : right[i];
        answer_kind kind = answer_judge(number ? step : choose, answer, &say, &value);
        if (kind != ANSWER_RIGHT)
            print_error("'%s': %s\n", answer, say);
        assert_int_equal(kind, ANSWER_RIGHT);
        assert_string_equal(say, number ? "yes" : "right");
        assert_string_equal(value, number ? "12.5" : "rows"); /* kept by the choice's own name */
        free(say);
        free(value);
    }
    assert_int_equal(answer_judge(choose, "列", &say, &value), ANSWER_UNREADABLE);
    free(say);
    lesson_free(l);
}

static void number(const char *text, double wanted, bool wanted_percent) {
    double value;
    bool percent;
    if (!answer_number(text, "sectors", "个扇区", &value, &percent))
        fail_msg("'%s' is not read", text);
    assert_true(value > wanted - 1e-9 && value < wanted + 1e-9);
    assert_int_equal(percent, wanted_percent);
}

static void test_numbers(void **state) {
    (void)state;
    number("4", 4, false);
    number(" 12.5 % ", 12.5, true);
    number("32,768", 32768, false);
    number("1,048,576 sectors", 1048576, false);
    number("2^18", 262144, false);
    number("1/8", 0.125, false);
    number("32 * 4;", 128, false);
    number("32 × 4 + 1", 129, false);
    number("2*2^3-1", 15, false);
    number("-3", -3, false);
    number("1e6", 1e6, false);
    number("4,5", 4.5, false); /* a decimal comma, where it can be nothing else */
    number("0,125", 0.125, false);
    number("3,1415", 3.1415, false);
    number("1.234,5", 1234.5, false);
    number("1,234.5", 1234.5, false);
    number("1.048.576", 1048576, false);
    number("1 sector", 1, false);
    number("4 个扇区。", 4, false);
    number("4扇区", 4, false);
    number("３２，７６８", 32768, false);
    number("３２　×　４", 128, false);
    number("１／８", 0.125, false);
    number("2＾18", 262144, false);
    number("1 − 3", -2, false);
    number("百分之２５", 25, true);
    static const char *const none[] = {"",      "four",   "4 apples", "1,23,456", "1/0",
                                       "4, 5",  "2^",     "4 4",      "*4",       "1e",
                                       "1.5.2", "2^9999", "4区间",    "1,2.3,4",  "4 sect"};
    double value;
    bool percent;
    for (size_t i = 0; i < WB_COUNT(none); i++)
        assert_false(answer_number(none[i], "sectors", "个扇区", &value, &percent));
}

static void judge(const char *step, const char *text, answer_kind wanted, const char *said) {
    json_t *json = json_loads(step, 0, NULL);
    char *say, *value;
    assert_non_null(json);
    assert_int_equal(answer_judge(json, text, &say, &value), wanted);
    assert_true(said ? say && strstr(say, said) != NULL : !say);
    free(say);
    free(value);
    json_decref(json);
}

static void test_answers(void **state) {
    (void)state;
    judge(PREDICT, "?", ANSWER_EMPTY, NULL);
    judge(PREDICT, " ", ANSWER_EMPTY, NULL);
    judge(PREDICT, "12.5", ANSWER_RIGHT, "yes");
    judge(PREDICT, "12.5 %", ANSWER_RIGHT, "yes");
    judge(PREDICT, "1/8", ANSWER_RIGHT, "yes");
    judge(PREDICT, "8", ANSWER_WRONG, "eight");
    judge(PREDICT, "25%", ANSWER_WRONG, "much");
    judge(PREDICT, "0.125 %", ANSWER_WRONG, "no");
    judge(PREDICT, "99", ANSWER_WRONG, "no");
    judge(PREDICT, "many", ANSWER_UNREADABLE, "'many' can't be read");
    judge(CHOOSE, " 'Rows' ", ANSWER_RIGHT, "right");
    judge(CHOOSE, "columns", ANSWER_WRONG, "wrong");
    judge(PREDICT, "？", ANSWER_EMPTY, NULL);
    judge(CHOOSE, "4", ANSWER_UNREADABLE, "none of the choices: rows, columns");
}

static void test_figures(void **state) {
    (void)state;
    json_t *report = json_loads(
        "{\"launches\": [{\"kernel\": \"void turn<3>(float *)\", \"counters\":"
        " {\"global_load_requests\": 10, \"global_load_sectors\": 40, \"global_load_used\": "
        "1280}},"
        " {\"kernel\": \"turned(float *)\", \"counters\": {\"global_load_requests\": 4}}]}",
        0, NULL);
    double value = 0;
    assert_true(figure_of(report, "turn", "sectors_per_load", &value));
    assert_true(value == 4);
    assert_true(figure_of(report, "turn<3>", "used_by_loads", &value));
    assert_true(value == 100);
    assert_true(figure_of(report, "turned", "loads", &value));
    assert_true(value == 4);
    assert_false(figure_of(report, "turn", "sectors_per_store", &value)); /* none to divide by */
    assert_false(figure_of(report, "tur", "loads", &value));
    assert_false(figure_of(report, "turn", "seconds", &value));
    /* The first cause that the kernel shows is named; one that has nothing to count is passed over.
     */
#define ENTRY(bound)                                                                               \
    "{\"kernel\": \"turn\", \"of\": \"loads\", \"at_most\": " bound                                \
    ", \"say\": \"all\", \"because\": ["                                                           \
    "{\"of\": \"stores\", \"at_least\": 0, \"say\": \"none\"},"                                    \
    "{\"of\": \"sectors_per_store\", \"at_most\": 1, \"say\": \"nothing\"},"                       \
    "{\"of\": \"sectors_per_load\", \"at_most\": 3, \"say\": \"apart\"},"                          \
    "{\"of\": \"used_by_loads\", \"at_least\": 101, \"say\": \"later\"}]}"
    json_t *entry = json_loads(ENTRY("9"), 0, NULL), *met = json_loads(ENTRY("10"), 0, NULL);
    const json_t *missed = NULL;
    char *why = figure_complaint(report, entry, &missed);
    assert_non_null(why);
    assert_true(wb_ends(why, "at most 9. apart"));
    assert_string_equal(json_string_value(json_object_get(missed, "of")), "sectors_per_load");
    free(why);
    assert_null(figure_complaint(report, met, &missed));
    assert_null(missed);
    assert_true(figure_counts("passes_per_shared", "store", true));
    assert_false(figure_counts("passes_per_shared", "store", false));
    assert_false(figure_counts("sectors_per_load", "store", false));
    assert_false(figure_counts("shared_loads", "load", true));
#undef ENTRY
    json_decref(entry);
    json_decref(met);
    json_decref(report);
}

/* Choices keep the student's order, and other students have other ones: with 40 students the right
 * one of four stands in each place, unless luck is worse than one in ten thousand. */
static void test_choices_are_shuffled(void **state) {
    (void)state;
    json_t *choices = json_pack("{s:s, s:s, s:s, s:s}", "a", "A", "b", "B", "c", "C", "d", "D");
    size_t seen[4] = {0};
    for (int student = 0; student < 40; student++) {
        char *folder = wb_dir_temp("student", NULL);
        assert_non_null(folder);
        setenv("XDG_DATA_HOME", folder, 1);
        json_t *own = progress_shuffled("lab", "a", choices);
        assert_true(json_equal(own, choices)); /* the same words and reasons */
        progress_note("lab", "a", PROGRESS_WRONG, "b", NULL);
        json_t *again = progress_shuffled("lab", "a", choices);
        char *one = json_dumps(own, JSON_PRESERVE_ORDER),
             *two = json_dumps(again, JSON_PRESERVE_ORDER);
        assert_string_equal(one, two);
        size_t place = 0;
        const char *key;
        json_t *value;
        json_object_foreach(own, key, value) {
            seen[place] += *key == 'a';
            place++;
        }
        json_decref(own);
        json_decref(again);
        free(one);
        free(two);
        wb_dir_remove(folder, NULL);
        free(folder);
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(seen[i] > 0);
    setenv("XDG_DATA_HOME", "/proc/nowhere", 1); /* nothing can be kept: the order stays, too */
    json_t *own = progress_shuffled("lab", "a", choices),
           *again = progress_shuffled("lab", "a", choices);
    char *one = json_dumps(own, JSON_PRESERVE_ORDER), *two = json_dumps(again, JSON_PRESERVE_ORDER);
    assert_string_equal(one, two);
    json_decref(own);
    json_decref(again);
    json_decref(choices);
    free(one);
    free(two);
}

/* Many processes note tries at once; one of them dies in the middle. None is lost. */
static void test_progress(void **state) {
    (void)state;
    wb_error err = {0};
    char *folder = wb_dir_temp("progress", &err);
    assert_non_null(folder);
    setenv("XDG_DATA_HOME", folder, 1);
    step_record r = progress_of("lab", "a");
    assert_true(!r.passed && r.tries == 0 && r.hints == 0);
    enum { PROCESSES = 4, EACH = 10 };
    for (int p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            for (int i = 0; i < EACH; i++)
                progress_note("lab", "a", PROGRESS_HINT, NULL, NULL);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    assert_int_equal(progress_of("lab", "a").hints, PROCESSES * EACH);
    progress_note("lab", "b", PROGRESS_WRONG, "4", NULL);
    progress_note("lab", "b", PROGRESS_WRONG, "4", NULL);
    progress_note("lab", "b", PROGRESS_WRONG, "5", NULL);
    progress_note("lab", "b", PROGRESS_PASSED, NULL, NULL);
    progress_note("lab", "b", PROGRESS_WRONG, "6", NULL);
    r = progress_of("lab", "b");
    assert_true(r.passed && r.tries == 2 && !r.shown);
    char *file = wb_format("%s/warpbook/progress.json", folder);
    assert_true(wb_file_write(file, "{\"labs", 6, NULL)); /* broken: put aside */
    assert_true(progress_note("lab", "b", PROGRESS_PASSED, NULL, &err));
    assert_true(progress_of("lab", "b").passed && progress_of("lab", "a").hints == 0);
    char *aside = wb_format("%s.broken", file);
    assert_true(wb_file_exists(aside));
    setenv("XDG_DATA_HOME", "/proc/nowhere", 1);
    assert_false(progress_note("lab", "b", PROGRESS_PASSED, NULL, &err));
    assert_true(strlen(err.text) > 0);
    wb_dir_remove(folder, NULL);
    free(aside);
    free(file);
    free(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lesson),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_translations),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_choices_are_shuffled),
        cmocka_unit_test(test_answers_in_the_other_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
