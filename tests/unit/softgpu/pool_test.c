/* pool_test.c: the threads that work on a launch (runtime/softgpu/launch/pool.c): a process that
 * has forked makes its own. */
#include "tests/unit/softgpu/engine_kit.h"

#define BLOCKS 256
#define CHILDREN 100
#define LONG_ENOUGH_S                                                                              \
    600 /* for a machine of any speed; a child that waits for ever takes none of it */

/* Each block counts down for some microseconds, then writes its number and 1. */
static const char counts[] =
    HEAD BEGIN "mov.u32 %r2, %ctaid.x; mov.u32 %r9, 400; W: sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, "
               "%r9, 0; @%p1 bra W;\n"
               "mul.wide.u32 %rd5, %r2, 4; ld.param.u64 %rd4, [out]; add.s64 %rd4, %rd4, %rd5;\n"
               "add.u32 %r3, %r2, 1; st.global.u32 [%rd4], %r3;\n" END;

/* Launches with four threads. */
static bool launches(void) {
    sg_launch l = {0};
    memset(out, 0, 4096);
    if (run(counts, BLOCKS, 32, &l))
        return false;
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (out[i] != i + 1)
            return false;
    return true;
}

/* The parent's threads wait for work when it forks, and what they wait at is copied with them in
 * it. */
static void test_a_child_has_threads_of_its_own(void **state) {
    (void)state;
    setenv("WARPBOOK_SOFTGPU_THREADS", "4", 1);
    for (int k = 0; k < CHILDREN; k++) {
        assert_true(launches());
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(LONG_ENOUGH_S);
            _exit(launches() && launches() ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    unsetenv("WARPBOOK_SOFTGPU_THREADS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_child_has_threads_of_its_own, setup, teardown)};
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
