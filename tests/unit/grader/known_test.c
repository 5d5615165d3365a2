/* known_test.c: what is right is handed on to the submissions of a batch, by what it hangs on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/stages/known.h"

static void test_handed_on(void **state) {
    (void)state;
    char *folder = wb_dir_temp("known-test", NULL);
    char *from = wb_format("%s/from", folder), *to = wb_format("%s/to", folder);
    char key[WB_SHA256_TEXT], other[WB_SHA256_TEXT];
    wb_buf got = {0};
    gr_known *known = gr_known_new();
    assert_non_null(known);
    wb_sha256("a", 1, key);
    wb_sha256("b", 1, other);
    assert_true(wb_file_write(from, "right", 5, NULL));
    assert_false(gr_known_get(known, key, to));
    gr_known_put(known, key, from);
    assert_false(gr_known_get(known, other, to));
    /* the first stays, and outlives the submission that it came from */
    assert_true(wb_file_write(from, "other", 5, NULL));
    gr_known_put(known, key, from);
    assert_int_equal(remove(from), 0);
    assert_true(gr_known_get(known, key, to));
    assert_true(wb_file_read(to, 0, &got, NULL));
    assert_string_equal(got.data, "right");
    /* nothing takes the place of what is there; a missing file is none */
    assert_false(gr_known_get(known, key, to));
    gr_known_put(known, other, from);
    assert_false(gr_known_get(known, other, from));
    gr_known_free(known);
    assert_true(wb_file_exists(to));
    wb_buf_free(&got);
    wb_dir_remove(folder, NULL);
    free(folder);
    free(from);
    free(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_handed_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
