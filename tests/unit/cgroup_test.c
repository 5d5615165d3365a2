/* cgroup_test.c: what processes have together is bounded, where this machine lets us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cgroup.h"

enum { MB = 1 << 20 };

static wb_proc_result run(const char *group, const char *script) {
    wb_proc_result r;
    wb_error err = {0};
    const char *argv[] = {"sh", "-c", script, NULL};
    if (!wb_proc_run(&(wb_proc_spec){.argv = argv, .cgroup = group, .timeout_s = 60}, &r, &err))
        fail_msg("%s", err.text);
    return r;
}

static char *group_or_skip(void) {
    char *group = wb_cgroup_new();
    if (!group) {
        print_message("no control group can be made here\n");
        skip();
    }
    return group;
}

/* A few bytes are fine; three processes that fit alone do not fit together. */
static void test_what_they_have_together(void **state) {
    (void)state;
    char *group = group_or_skip();
    assert_true(wb_cgroup_limit(group, 64 * MB));
    wb_proc_result r = run(group, "head -c 8000000 /dev/zero | tail -c 8000000 | wc -c");
    assert_string_equal(r.out.data, "8000000\n");
    wb_proc_result_free(&r);
    assert_false(wb_cgroup_killed(group));
    r = run(group,
            "hold() { head -c 40000000 /dev/zero | { tail -c 40000000; sleep 1; } | wc -c; }\n"
            "hold & hold & hold & wait");
    assert_true(wb_cgroup_killed(group));
    wb_proc_result_free(&r);
    assert_true(wb_cgroup_limit(group, 512 * MB)); /* for what comes next */
    r = run(group, "head -c 80000000 /dev/zero | tail -c 80000000 | wc -c");
    assert_string_equal(r.out.data, "80000000\n");
    wb_proc_result_free(&r);
    wb_cgroup_free(group);
}

static void test_nothing_is_left(void **state) {
    (void)state;
    char *group = group_or_skip(), *kept = strdup(group);
    wb_proc_result r = run(group, "setsid sleep 600 >/dev/null 2>&1 & echo $!");
    long pid = strtol(r.out.data, NULL, 10);
    assert_true(pid > 1);
    wb_cgroup_free(group);
    assert_int_not_equal(access(kept, F_OK), 0);
    wb_proc_result_free(&r);
    /* and what a killed process of ours has left goes with the next group */
    char *slash = strrchr(kept, '/');
    *slash = '\0';
    char *stale = wb_format("%s/warpbook-4194999-0", kept); /* beyond the greatest pid */
    assert_int_equal(mkdir(stale, 0755), 0);
    wb_cgroup_free(wb_cgroup_new());
    assert_int_not_equal(access(stale, F_OK), 0);
    free(stale);
    free(kept);
}

static void test_a_group_that_is_gone(void **state) {
    (void)state;
    wb_proc_result r;
    wb_error err = {0};
    const char *argv[] = {"true", NULL};
    assert_false(wb_proc_run(&(wb_proc_spec){.argv = argv, .cgroup = "/nowhere"}, &r, &err));
    assert_non_null(strstr(err.text, "true: can't be run"));
    wb_proc_result_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_they_have_together),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_a_group_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
