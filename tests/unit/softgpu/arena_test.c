/* The arena: stretches far apart, zeroed, used again last, refused when there are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/softgpu/machine/arena.h"

static const size_t MB = (size_t)1 << 20;

static void test_stretches_lie_far_apart(void **state) {
    (void)state;
    const size_t sizes[] = {1, 4096, 1000000, 64 * MB, 65 * MB, 300 * MB, 5};
    char *at[7];
    for (int i = 0; i < 7; i++)
        assert_non_null(at[i] = sg_arena_take(sizes[i]));
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            size_t room = sizes[i] > 64 * MB ? sizes[i] : 64 * MB;
            if (at[j] > at[i])
                assert_true((size_t)(at[j] - at[i]) >= sizes[i] + room);
        }
    for (int i = 0; i < 7; i++) {
        assert_int_equal(at[i][0] | at[i][sizes[i] - 1], 0);
        memset(at[i], 1, sizes[i] < 2 * MB ? sizes[i] : 2 * MB);
        assert_true(sg_arena_holds(at[i]));
        sg_arena_give(at[i], sizes[i]);
    }
    assert_false(sg_arena_holds(at));
}

static void test_sizes_beyond_all_are_refused(void **state) {
    (void)state;
    assert_null(sg_arena_take(SIZE_MAX));
    assert_null(sg_arena_take((size_t)1 << 62));
    char *empty = sg_arena_take(0);
    assert_non_null(empty);
    sg_arena_give(empty, 0);
}

/* More than the addresses hold, one after another; each starts as zeros. */
static void test_addresses_come_again(void **state) {
    (void)state;
    char *before = NULL;
    for (int i = 0; i < 70000; i++) {
        char *p = sg_arena_take(10000);
        assert_non_null(p);
        assert_ptr_not_equal(p, before);
        assert_int_equal(p[0] | p[9999], 0);
        p[0] = p[9999] = 1;
        sg_arena_give(p, 10000);
        before = p;
    }
}

static void test_too_many_are_refused(void **state) {
    (void)state;
    enum { MOST = 8192 };
    static char *at[MOST];
    for (int i = 0; i < MOST; i++)
        assert_non_null(at[i] = sg_arena_take(1));
    assert_null(sg_arena_take(1));
    sg_arena_give(at[0], 1);
    assert_non_null(at[0] = sg_arena_take(1));
    for (int i = 0; i < MOST; i++)
        sg_arena_give(at[i], 1);
}

#ifndef __SANITIZE_ADDRESS__ /* which needs addresses of its own */
/* In a process that may have no more addresses than these. */
static int taken_under(size_t limit) {
    pid_t child = fork();
    if (child == 0) {
        struct rlimit both = {limit, limit};
        _exit(setrlimit(RLIMIT_AS, &both) != 0 ? 2 : sg_arena_take(MB) ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretches_lie_far_apart),
        cmocka_unit_test(test_sizes_beyond_all_are_refused),
        cmocka_unit_test(test_addresses_come_again),
        cmocka_unit_test(test_too_many_are_refused),
    };
#ifndef __SANITIZE_ADDRESS__
    if (taken_under((size_t)1 << 40) != 1 || taken_under((size_t)1 << 32) != 0)
        return 1;
#endif
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
