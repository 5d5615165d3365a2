/* view_test.c: counters in one table and one sentence, and one quantity at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "runtime/exec/view.h"

/* A launch of `kernel`; on its one line 10 atomic operations on shared memory took `passes`. */
static json_t *launch(const char *kernel, int line, int passes) {
    json_t *counters = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "global_load_requests", 10,
                                 "global_load_sectors", 10, "global_load_bytes", 1280,
                                 "global_load_used", 40, "shared_atomic_requests", 10,
                                 "shared_atomic_wavefronts", passes, "global_atomic_sectors", 7);
    return json_pack("{s:s, s:s, s:[i,i,i], s:[i,i,i], s:f, s:O, s:[{s:s, s:i, s:o}]}", "kernel",
                     kernel, "symbol", kernel, "grid", 1, 1, 1, "block", 32, 1, 1, "seconds", 1e-6,
                     "counters", counters, "lines", "file", "a.cu", "line", line, "counters",
                     counters);
}

/* A launch of `seconds`, whose loads on line 5 of a cell move `sectors` a request, with a time
 * that `bound` limits. */
static json_t *loads(const char *kernel, int sectors, double seconds, const char *bound) {
    json_t *counters =
        json_pack("{s:i, s:i, s:i, s:i}", "global_load_requests", 10, "global_load_sectors",
                  10 * sectors, "global_load_used", 1280, "branches", 10);
    return json_pack("{s:s, s:s, s:[i], s:[i], s:O, s:[{s:s, s:i, s:s, s:o}], s:{s:s, s:f, s:s, "
                     "s:s, s:{s:f, s:f}, "
                     "s:[{s:s, s:i, s:f}]}}",
                     "kernel", kernel, "symbol", kernel, "grid", 1, "block", 32, "counters",
                     counters, "lines", "file", "cell [3]", "line", 5, "text", "\tout[i] = in[i];",
                     "counters", counters, "model", "title", "X1", "seconds", seconds, "bound",
                     bound, "reason", "It waits", "limits", "memory", 1e-6, "issue",
                     strcmp(bound, "issue") == 0 ? 1e-3 : 1e-9, "lines", "file", "cell [3]", "line",
                     9, "share", 0.5);
}

static char *shown(wb_table *t) {
    assert_non_null(t);
    char *text = wb_table_text(t);
    wb_table_free(t);
    return text;
}

static char *counted(const json_t *report) {
    wb_buf before = {0};
    char *text = shown(wb_view_counters(report, false, &before));
    wb_buf_free(&before);
    return text;
}

/* The most important finding of the launches; `others`: the further ones. */
static char *finding(json_t *launches, char **others) {
    wb_buf first = {0}, more = {0};
    json_t *report = json_pack("{s:o}", "launches", launches);
    wb_view_findings(report, &first, &more);
    json_decref(report);
    if (others)
        *others = more.data ? wb_buf_steal(&more) : strdup("");
    wb_buf_free(&more);
    return first.data ? wb_buf_steal(&first) : strdup("");
}

static size_t quantity(const char *word) {
    size_t k = 0;
    while (wb_view_quantities[k] && strcmp(wb_view_quantities[k], word) != 0)
        k++;
    assert_non_null(wb_view_quantities[k]);
    return k;
}

static void a_profiler_s_passes(void **state) {
    (void)state;
    json_t *report = json_pack("{s:[o]}", "launches", launch("count(int*)", 5, 75));
    char *text = counted(report);
    assert_non_null(strstr(text, "7.50"));   /* atomics alone: the column is there */
    assert_non_null(strstr(text, "12.5 %")); /* one word of a sector, however many want it */
    assert_null(strstr(text, "sectors/store"));
    assert_null(strstr(text, "divergent"));
    assert_null(strstr(text, "launches"));
    free(text);
    text = finding(json_incref(json_object_get(report, "launches")), NULL);
    assert_string_equal(text, "Atomic operations of count on shared memory take 7.5 passes: give "
                              "each lane a copy of its own, side by side, or let a warp add up "
                              "first (a.cu, line 5).\n");
    free(text);
    json_decref(report);
}

static void one_quantity(void **state) {
    (void)state;
    json_t *report =
        json_pack("{s:[o, o, o]}", "launches", launch("void turn<1>(float*)", 5, 10),
                  launch("void turn<8>(float*)", 5, 80), launch("void turn<8>(float*)", 5, 80));
    char *text = shown(wb_view_quantity(report, quantity("passes"), false));
    assert_non_null(strstr(text, "turn<1>           1.00"));
    assert_non_null(strstr(text, "turn<8>           8.00"));
    assert_null(strstr(text, "void"));
    free(text);
    text = shown(wb_view_quantity(report, quantity("passes"), true));
    const char *eight = strstr(text, "turn<8>"), *one = strstr(text, "turn<1>");
    assert_true(one && eight && eight < one); /* what takes most is first */
    assert_non_null(strstr(text, "a.cu, line 5"));
    assert_null(strstr(text, "5.67")); /* (10 + 80 + 80) / 30 would be all of them */
    assert_null(strstr(eight + 1, "turn<8>"));
    free(text);
    assert_null(wb_view_quantity(report, quantity("divergence"), false));
    assert_null(wb_view_quantity(report, quantity("instructions"), true));
    json_decref(report);
}

static void one_sentence(void **state) {
    (void)state;
    char *others;
    char *text = finding(json_pack("[o, o, o]", loads("near(float*)", 4, 1e-3, "memory"),
                                   loads("void far<4>(float*)", 16, 2e-3, "memory"),
                                   loads("void far<8>(float*)", 32, 4e-3, "memory")),
                         &others);
    assert_string_equal(text, "Loads of far<8>, far<4> use only 12.5 % to 25 % of the bytes that "
                              "they move: let neighbouring threads load neighbouring words "
                              "(cell [3], line 5).\n");
    assert_string_equal(others, "");
    WB_FREE(text, others);
    /* The kernel that takes most of the time comes first, even if another one wastes more. */
    text = finding(json_pack("[o, o]", loads("near(float*)", 4, 1, "memory"),
                             loads("far(float*)", 32, 1e-6, "memory")),
                   &others);
    assert_string_equal(text, "It waits (near, cell [3], line 9).\n");
    assert_non_null(strstr(others, "Loads of far use only 12.5 %"));
    WB_FREE(text, others);
    /* Nor does what is wasted matter where another unit is far busier. */
    text = finding(json_pack("[o]", loads("far(float*)", 32, 1, "issue")), &others);
    assert_string_equal(text, "It waits (far, cell [3], line 9).\n");
    WB_FREE(text, others);
    text = finding(json_array(), &others);
    assert_string_equal(text, "");
    WB_FREE(text, others);
}

static void times_of_launches(void **state) {
    (void)state;
    json_t *report = json_pack(
        "{s:[o, o, o]}", "launches", loads("near(float*)", 4, 1e-3, "memory"),
        loads("near(float*)", 4, 2e-3, "memory"), loads("near(float*)", 4, 1.002e-3, "memory"));
    wb_buf before = {0};
    char *text = shown(wb_view_counters(report, false, &before));
    assert_non_null(strstr(before.data, "As modelled for an X1"));
    assert_non_null(strstr(text, "near           2  1.00 ms  memory"));
    assert_non_null(strstr(text, "near           1  2.00 ms  memory"));
    assert_null(strstr(text, "grid"));
    assert_null(strstr(text, "sectors")); /* all that is moved is used */
    free(text);
    wb_buf_clear(&before);
    text = shown(wb_view_counters(report, true, &before));
    assert_non_null(strstr(text, "CPU time"));
    assert_non_null(strstr(text, "4.00"));
    free(text);
    wb_buf_free(&before);
    json_decref(report);
}

static void names(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"void turn<3>(float*, int)", "turn<3>"},
                                           {"copy(void (*)(int), float*)", "copy"},
                                           {"void (anonymous namespace)::hidden<(Kind)1>(int)",
                                            "(anonymous namespace)::hidden<(Kind)1>"},
                                           {"sgemm (reference)", "sgemm (reference)"},
                                           {"plain", "plain"},
                                           {"", ""}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        json_t *one = json_pack("{s:s}", "kernel", cases[i][0]);
        char *name = wb_view_kernel(one);
        assert_string_equal(name, cases[i][1]);
        free(name);
        json_decref(one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profiler_s_passes),
        cmocka_unit_test(one_quantity),
        cmocka_unit_test(one_sentence),
        cmocka_unit_test(times_of_launches),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
