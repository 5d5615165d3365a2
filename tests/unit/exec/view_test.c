/* view_test.c: the tables of counters: what stands in which column, and what is kept apart. */
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
    json_t *o = json_pack("{s:s, s:s, s:[i,i,i], s:[i,i,i], s:f, s:O, s:[{s:s, s:i, s:o}]}",
                          "kernel", kernel, "symbol", kernel, "grid", 1, 1, 1, "block", 32, 1, 1,
                          "seconds", 1e-6, "counters", counters, "lines", "file", "a.cu", "line",
                          line, "counters", counters);
    return o;
}

static char *shown(wb_table *t) {
    assert_non_null(t);
    char *text = wb_table_text(t);
    wb_table_free(t);
    return text;
}

static void a_profiler_s_passes(void **state) {
    (void)state;
    json_t *report = json_pack("{s:[o]}", "launches", launch("count(int*)", 5, 75));
    char *text = shown(wb_view_launches(report));
    assert_non_null(strstr(text, "7.50"));   /* atomics alone: the column is there */
    assert_non_null(strstr(text, "12.5 %")); /* one word of a sector, however many want it */
    free(text);
    wb_buf hints = {0};
    wb_view_hints(report, &hints);
    assert_non_null(strstr(hints.data, "an atomic operation on shared memory takes 7.5 passes"));
    assert_null(strstr(hints.data, "padded"));
    wb_buf_free(&hints);
    text = shown(wb_view_lines(report, 12, 120));
    assert_non_null(strstr(text, "17")); /* sectors, those of atomics among them */
    assert_null(strstr(text, "kernel"));
    free(text);
    json_decref(report);
}

static void instances_are_apart(void **state) {
    (void)state;
    json_t *report =
        json_pack("{s:[o, o, o]}", "launches", launch("void turn<1>(float*)", 5, 10),
                  launch("void turn<8>(float*)", 5, 80), launch("void turn<8>(float*)", 5, 80));
    char *text = shown(wb_view_lines(report, 12, 120));
    const char *one = strstr(text, "turn<1>"), *eight = strstr(text, "turn<8>");
    assert_true(one && eight);
    assert_non_null(strstr(text, "8.00"));
    assert_null(strstr(text, "5.67")); /* (10 + 80 + 80) / 30 would be all of them */
    assert_null(strstr(eight + 1, "turn<8>"));
    free(text);
    json_decref(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profiler_s_passes),
        cmocka_unit_test(instances_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
