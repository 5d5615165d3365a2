/* source_test.c: a kernel's source with what each line costs, from a report put together here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/exec/view.h"

/* Lines 1 to 24: a head far above, a kernel with a template's head, a stretch without cost. */
static const char SOURCE[] = "int unused;\n"
                             "\n"
                             "template <int N>\n"
                             "__global__ void turn(float *a) {\n"
                             "\tfloat v = a[1];\n"
                             "    // 6\n"
                             "    // 7\n    // 8\n    // 9\n    // 10\n    // 11\n    // 12\n"
                             "    // 13\n    // 14\n    // 15\n    // 16\n    // 17\n"
                             "    a[2] = v;\n"
                             "}\n"
                             "int after;\n";

static json_t *report(void) {
    return json_pack(
        "{s:{s:s}, s:[{s:s, s:s, s:{s:f, s:[{s:s, s:i, s:f, s:{s:f}}, {s:s, s:i, s:f, s:{s:f}}]},"
        " s:[{s:s, s:i, s:{s:i, s:i, s:i}}, {s:s, s:i, s:{s:i, s:i, s:i, s:i, s:i}}]}]}",
        "sources", "cell [3]", SOURCE, "launches", "kernel", "turn<8>(float*)", "symbol", "_Z4turn",
        "model", "seconds", 2e-6, "lines", "file", "cell [3]", "line", 18, "share", 0.5, "limits",
        "L2", 0.4, "file", "/usr/lib/own.h", "line", 7, "share", 0.2, "limits", "issue", 0.1,
        "lines", "file", "cell [3]", "line", 5, "counters", "global_load_requests", 10,
        "global_load_sectors", 320, "global_load_used", 1280, "file", "cell [3]", "line", 18,
        "counters", "global_store_requests", 10, "global_store_sectors", 40, "global_store_used",
        1280, "shared_load_requests", 10, "shared_load_wavefronts", 160);
}

static char *shown(json_t *from) {
    wb_table *table = wb_view_source(from, 150);
    char *text = table ? wb_table_text(table) : NULL;
    wb_table_free(table);
    json_decref(from);
    return text;
}

/* Does some line of the text hold all of the words, in their order? */
static bool has_line(const char *text, const char *const *words) {
    for (; *text; text += strcspn(text, "\n") + 1) {
        char *line = strndup(text, strcspn(text, "\n"));
        const char *at = line;
        for (size_t i = 0; words[i] && at; i++)
            at = (at = strstr(at, words[i])) ? at + strlen(words[i]) : NULL;
        free(line);
        if (at)
            return true;
    }
    return false;
}
#define assert_line(text, ...) assert_true(has_line(text, (const char *const[]){__VA_ARGS__, NULL}))

static void a_line_has_its_costs(void **state) {
    (void)state;
    char *text = shown(report());
    assert_line(text, "line", "time", "source", "sectors", "used", "passes", "spent on");
    assert_line(text, "turn<8>: 1 launch, 2.00 µs");
    assert_line(text, "5 ", "float v = a[1];", "320", "32", "12.5 %");
    assert_line(text, "18 ", "50 %", "    a[2] = v;", "40", "4", "100 %", "160", "16", "L2");
    assert_line(text, "30 %", "(no line: the launch");
    free(text);
}

static void a_kernel_is_whole_and_stretches_are_left_out(void **state) {
    (void)state;
    char *text = shown(report());
    assert_line(text, "3 ", "template <int N>");
    assert_line(text, "4 ", "__global__ void turn");
    assert_line(text, "19 ", "}");
    assert_line(text, "...");
    assert_null(strstr(text, "unused"));
    assert_null(strstr(text, "// 10"));
    assert_null(strstr(text, "int after"));
    free(text);
}

/* A line of a missing file has its share, and a note that its text is missing. */
static void a_file_elsewhere_has_its_lines(void **state) {
    (void)state;
    char *text = shown(report());
    assert_line(text, "own.h:");
    assert_line(text, "7 ", "20 %", "(its text is not here)", "instructions");
    free(text);
}

/* Launches of a kernel are put together: shares go by their times. */
static void launches_are_weighed_by_time(void **state) {
    (void)state;
    json_t *both = report(), *launches = json_object_get(both, "launches");
    json_t *second = json_deep_copy(json_array_get(launches, 0));
    json_t *model = json_object_get(second, "model");
    json_object_set_new(model, "seconds", json_real(6e-6));
    json_object_set_new(json_array_get(json_object_get(model, "lines"), 0), "share",
                        json_real(0.1));
    json_array_append_new(launches, second);
    char *text = shown(both);
    assert_line(text, "turn<8>: 2 launches, 8.00 µs");
    assert_line(text, "18 ", "20 %", "a[2] = v;", "80"); /* (0.5 * 2 + 0.1 * 6) / 8 */
    free(text);
}

static void counts_alone_are_shown(void **state) {
    (void)state;
    json_t *counted = report();
    json_object_del(json_array_get(json_object_get(counted, "launches"), 0), "model");
    char *text = shown(counted);
    assert_null(strstr(text, "time"));
    assert_null(strstr(text, "spent on"));
    assert_line(text, "5 ", "float v = a[1];", "320");
    free(text);
    assert_null(shown(json_object()));
    assert_null(shown(json_pack("{s:[{s:s, s:s}]}", "launches", "kernel", "k", "symbol", "k")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_its_costs),
        cmocka_unit_test(a_kernel_is_whole_and_stretches_are_left_out),
        cmocka_unit_test(a_file_elsewhere_has_its_lines),
        cmocka_unit_test(launches_are_weighed_by_time),
        cmocka_unit_test(counts_alone_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
