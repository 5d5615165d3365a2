/* stage_test.c: a comparison for the back row, from events: what is drawn, said and kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/compare/stage.h"

static const model_gpu GPU = {.name = "x1", .title = "GPU X1", .measured = true};
static const view_label LABELS[] = {{"naive", "The <first>"}, {"mine", "Mine"}};

static void apply(compare_view *view, const char *format, ...) {
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *event = json_loads(text, 0, NULL);
    assert_non_null(event);
    view_apply(view, event);
    json_decref(event);
}

/* A size with the kernel "naive" and one's own, "mine". */
static void begin_size(compare_view *view, int size, const char *text) {
    apply(view, "{\"event\":\"size\",\"size\":%d,\"text\":\"%s\",\"type\":\"float\",\"n\":8}", size,
          text);
    apply(view, "{\"event\":\"kernel\",\"size\":%d,\"kernel\":0,\"name\":\"naive\",\"bytes\":1e9}",
          size);
    apply(view,
          "{\"event\":\"kernel\",\"size\":%d,\"kernel\":1,\"name\":\"mine\",\"title\":\"yours\","
          "\"bytes\":1e9}",
          size);
}

static void begin(compare_view *view) {
    *view = (compare_view){.wanted_sizes = 2,
                           .gpu = &GPU,
                           .labels = LABELS,
                           .n_labels = WB_COUNT(LABELS),
                           .what = strdup("sums, float"),
                           .stage_size = strdup("2^30")};
    apply(view, "{\"event\":\"device\",\"name\":\"softgpu\",\"soft\":true}");
    begin_size(view, 0, "2^16");
}

/* 1 GB in so many seconds. */
static void sampled(compare_view *view, int kernel, double seconds) {
    apply(view,
          "{\"event\":\"sampled\",\"size\":1,\"kernel\":%d,\"report\":{\"launches\":[{\"model\":"
          "{\"seconds\":%g,\"low\":%g,\"high\":%g,\"limits\":{}}}]}}",
          kernel, seconds, seconds / 2, seconds * 2);
}

static void expect_words(const compare_view *view, const char *expected) {
    char *words = stage_words(view);
    assert_string_equal(words, expected);
    free(words);
}

static char *text_of(const compare_view *view, const char *before) {
    json_t *bundle = stage_bundle(view, NULL, 0, "", before);
    char *text = strdup(json_string_value(json_object_get(bundle, "text/plain")));
    const char *svg = json_string_value(json_object_get(bundle, "image/svg+xml"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "The <first>")); /* escaped */
    json_decref(bundle);
    return text;
}

static void it_says_how_far_it_is(void **state) {
    (void)state;
    compare_view view;
    begin(&view);
    expect_words(&view, "checking the results");
    begin_size(&view, 1, "2^30");
    expect_words(&view, "measuring 1 of 2: The <first>");
    sampled(&view, 0, 1e-2);
    expect_words(&view, "measuring 2 of 2: Mine");
    sampled(&view, 1, 5e-3);
    apply(&view, "{\"event\":\"end\",\"wrong\":0}");
    expect_words(&view, "As modelled for an GPU X1.");
    view_free(&view);
}

static void own_comes_first_and_moves(void **state) {
    (void)state;
    compare_view view;
    begin(&view);
    begin_size(&view, 1, "2^30");
    sampled(&view, 0, 1e-2);
    sampled(&view, 1, 5e-3);
    apply(&view, "{\"event\":\"end\",\"wrong\":0}");
    char *kept = stage_state(&view, NULL), *text = text_of(&view, NULL);
    assert_true(strstr(text, "Mine") < strstr(text, "The <first>"));
    assert_non_null(strstr(text, "200 GB/s"));
    assert_null(strstr(text, "the last run")); /* there was none */
    free(text);
    view_free(&view);

    begin(&view); /* mine twice as fast, the other as before */
    begin_size(&view, 1, "2^30");
    sampled(&view, 0, 1e-2);
    sampled(&view, 1, 2.5e-3);
    text = text_of(&view, kept);
    char *change = strstr(text, "▲ 2.00× the last run");
    assert_non_null(change);
    assert_null(strstr(change + strlen("▲ 2.00× the last run"), "the last run"));
    free(text);
    free(view.stage_size);
    view.stage_size = strdup("2^20"); /* of another size nothing is compared */
    text = text_of(&view, kept);
    assert_null(strstr(text, "the last run"));
    assert_null(strstr(text, "nan"));
    free(text);
    free(kept);
    view_free(&view);
}

/* Wrong where it was checked is wrong at the size that is shown, and what it had is kept. */
static void a_wrong_result_has_no_bar(void **state) {
    (void)state;
    compare_view view;
    begin(&view);
    apply(&view, "{\"event\":\"check\",\"size\":0,\"kernel\":1,\"ok\":false,\"text\":\"no\"}");
    begin_size(&view, 1, "2^30");
    sampled(&view, 0, 1e-2);
    sampled(&view, 1, 1e-9);
    assert_true(stage_went_wrong(&view));
    char *text = text_of(&view, NULL), *state_now;
    assert_non_null(strstr(text, "wrong result"));
    assert_non_null(strstr(text, "100 GB/s"));
    free(text);
    state_now = stage_state(
        &view, "{\"what\":\"sums, float, 2^30, as modelled for an GPU X1\",\"bars\":{\"Mine\":7}}");
    assert_non_null(strstr(state_now, "\"Mine\":7"));
    free(state_now);
    view_free(&view);
}

static void labels_are_taken_off_words(void **state) {
    (void)state;
    static const struct {
        const char *word, *name, *label;
    } cases[] = {{"transpose.padded=With = padding", "transpose.padded", "With = padding"},
                 {"a=b/mine.cu:solve=Mine: new", "a=b/mine.cu:solve", "Mine: new"},
                 {"a=b/mine.cu:solve", "a=b/mine.cu:solve", NULL},
                 {"gemm.tiles", "gemm.tiles", NULL},
                 {"gemm.tiles=", "gemm.tiles=", NULL}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char word[100];
        snprintf(word, sizeof word, "%s", cases[i].word);
        char *label = stage_label(word);
        assert_string_equal(word, cases[i].name);
        if (cases[i].label)
            assert_string_equal(label, cases[i].label);
        else
            assert_null(label);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_how_far_it_is),
        cmocka_unit_test(own_comes_first_and_moves),
        cmocka_unit_test(a_wrong_result_has_no_bar),
        cmocka_unit_test(labels_are_taken_off_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
