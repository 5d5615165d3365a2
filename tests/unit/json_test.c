/* json_test.c: JSON of texts that are UTF-8, and of those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/json/json.h"
#include "runtime/json/line.h"

static void same(json_t *value, const char *want) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
    json_decref(value);
}

static void any_text_is_a_string(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t len;
        const char *want;
    } cases[] = {{"plain", 5, "\"plain\""},
                 {"", 0, "\"\""},
                 {"A\xc8"
                  "B",
                  3, "\"A\\\\xc8B\""},
                 {"caf\xe9", 4, "\"caf\\\\xe9\""},
                 {"caf\xc3\xa9", 5, "\"caf\xc3\xa9\""},
                 {"\xff\xfe", 2, "\"\\\\xff\\\\xfe\""},
                 {"\xed\xa0\x80", 3, "\"\\\\xed\\\\xa0\\\\x80\""}, /* half of a surrogate pair */
                 {"\xe2\x82", 2, "\"\\\\xe2\\\\x82\""},
                 {"a\0b", 3, "\"a\\u0000b\""},
                 {"a\0\x80", 3, "\"a\\u0000\\\\x80\""}};
    for (size_t i = 0; i < WB_COUNT(cases); i++)
        same(wb_json_text(cases[i].text, cases[i].len), cases[i].want);
}

static void packs_as_jansson_does(void **state) {
    (void)state;
    json_t *kept = json_integer(9);
    same(wb_json_pack("{s:s, s:i, s:I, s:b, s:f, s:n}", "s", "x\x80", "i", -1, "I",
                      (json_int_t)1 << 40, "b", 3, "f", 0.5, "n"),
         "{\"s\":\"x\\\\x80\",\"i\":-1,\"I\":1099511627776,\"b\":true,\"f\":0.5,\"n\":null}");
    same(wb_json_pack("{s:s*, s:s?, s:o*, s:O*, s:O}", "a", NULL, "b", NULL, "c", NULL, "d", NULL,
                      "e", kept),
         "{\"b\":null,\"e\":9}");
    same(wb_json_pack("[s%, s#, {s:[]}, o]", "abc", (size_t)2, "abc", 1, "k", json_true()),
         "[\"ab\",\"a\",{\"k\":[]},true]");
    assert_null(wb_json_pack("{s:s}", "k", NULL));
    assert_null(wb_json_pack("{s:o}", "k", NULL));
    assert_null(wb_json_pack("[f]", 0.0 / 0.0)); /* JSON has none */
    assert_null(wb_json_pack("{s:O, s:s}", "k", kept, "l", NULL));
    assert_null(wb_json_pack("[i", 1));
    assert_int_equal(kept->refcount, 1);
    json_decref(kept);
}

static void a_cut_leaves_whole_characters(void **state) {
    (void)state;
    assert_int_equal(wb_utf8_whole("ab\xc3\xa9", 4), 4);
    assert_int_equal(wb_utf8_whole("ab\xc3\xa9", 3), 2);
    assert_int_equal(wb_utf8_whole("\xf0\x9f\x98\x80", 3), 0);
    assert_int_equal(wb_utf8_whole("a\x80", 2), 2); /* no character to begin with */
    assert_int_equal(wb_utf8_whole("", 0), 0);
}

static void tells_the_line_of_a_value(void **state) {
    (void)state;
    const char text[] = "{\n \"a\": [1,\n  {\"b\": \"x\\\"]\",\n   \"c\": 2}],\n \"d\": {}\n}\n";
    assert_int_equal(wb_json_line(text, strlen(text), ""), 1);
    assert_int_equal(wb_json_line(text, strlen(text), "a"), 2);
    assert_int_equal(wb_json_line(text, strlen(text), "a[1]"), 3);
    assert_int_equal(wb_json_line(text, strlen(text), "a[1].c"), 4);
    assert_int_equal(wb_json_line(text, strlen(text), "d"), 5);
    assert_int_equal(wb_json_line(text, strlen(text), "d.missing"), 5);
    assert_int_equal(wb_json_line(text, strlen(text), "a[9]"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_is_a_string),
        cmocka_unit_test(packs_as_jansson_does),
        cmocka_unit_test(a_cut_leaves_whole_characters),
        cmocka_unit_test(tells_the_line_of_a_value),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
