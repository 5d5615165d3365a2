/* base_test.c: runtime/base. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/base/base.h"

static void buf_grows_and_terminates(void **state)
{
    (void)state;
    wb_buf b = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(wb_buf_printf(&b, "%d,", i));
    assert_int_equal(b.len, 3890);
    assert_int_equal(b.data[b.len], 0);
    wb_buf_consume(&b, 3886);
    assert_string_equal(b.data, "999,");
    wb_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buf_grows_and_terminates),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
