/* poll_test.c: what is counted of a wait (runtime/softgpu/watch/count/poll.c): the same each time,
 * however many threads work and however long it takes; and of work that looks like one, everything.
 */
#include "tests/unit/softgpu/engine_kit.h"

#include "runtime/softgpu/machine/machine.h"

/* One thread of each of 64 blocks adds 1 to out[0] and waits until all have; what comes before the
 * wait takes long enough for other threads of the pool to be called. */
#ifdef __SANITIZE_ADDRESS__
#define LONG "2000" /* takes as long, sanitized */
#else
#define LONG "20000"
#endif
#define ARRIVE                                                                                     \
    "mov.u32 %r9, " LONG "; WORK: sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra WORK;\n"  \
    "ld.param.u64 %rd4, [out]; mov.u32 %r7, %nctaid.x; setp.ne.u32 %p2, %r1, 0; @%p2 bra MEET;\n"  \
    "red.global.add.u32 [%rd4], 1; mov.u32 %r6, 0;\n"
#define MEET "MEET: bar.sync 0;\n"

static sg_counters counted(const char *ptx, uint32_t grid, uint32_t block, unsigned threads) {
    sg_launch l = {.options = SG_COUNT};
    memset(out, 0, 4096);
    char number[16];
    snprintf(number, sizeof number, "%u", threads);
    setenv("WARPBOOK_SOFTGPU_THREADS", number, 1);
    if (run(ptx, grid, block, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    unsetenv("WARPBOOK_SOFTGPU_THREADS");
    return l.counters;
}

static void test_waits_count_the_same_each_time(void **state) {
    (void)state;
    static const char *const waits[] = {
        "WAIT: ld.volatile.global.u32 %r2, [%rd4]; setp.lt.u32 %p3, %r2, %r7; @%p3 bra WAIT;\n",
        "WAIT: atom.global.add.u32 %r2, [%rd4], 0; setp.lt.u32 %p3, %r2, %r7; @%p3 bra WAIT;\n",
        "WAIT: atom.global.cas.b32 %r2, [%rd4], 64, 64; setp.lt.u32 %p3, %r2, %r7; "
        "@%p3 bra WAIT;\n",
        /* each turn differs from the one before */
        "WAIT: add.u32 %r6, %r6, 1; ld.volatile.global.u32 %r2, [%rd4]; setp.lt.u32 %p3, %r2, "
        "%r7; @%p3 bra WAIT;\n",
        /* waits at two places */
        "WAIT: ld.volatile.global.u32 %r2, [%rd4]; ld.volatile.global.u32 %r3, [%rd4+4]; "
        "add.u32 %r2, %r2, %r3; nanosleep.u32 20; setp.lt.u32 %p3, %r2, %r7; @%p3 bra WAIT;\n"};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        char ptx[4000];
        snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD BEGIN, ARRIVE, waits[i], MEET END);
        sg_counters one = counted(ptx, 64, 64, 1);
        for (unsigned threads = 2; threads < 6; threads++) {
            sg_counters more = counted(ptx, 64, 64, threads);
            assert_memory_equal(&one, &more, sizeof one);
        }
    }
}

/* Two turns that did nothing cost as much as two thousand: block 0 waits for block 1, which begins
 * when block 0 has had its turn and works for long. */
static void test_an_idle_wait_counts_once(void **state) {
    (void)state;
    static const char ptx[] =
        HEAD BEGIN "ld.param.u64 %rd4, [out]; mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 0; "
                   "@%p1 bra GIVE;\n"
                   "WAIT: ld.volatile.global.u32 %r2, [%rd4]; setp.eq.u32 %p3, %r2, 0; @%p3 bra "
                   "WAIT; bra.uni DONE;\n"
                   "GIVE: mov.u32 %r9, 100000;\n"
                   "WORK: sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra WORK;\n"
                   "st.global.u32 [%rd4], 1;\n"
                   "DONE:" END;
    sg_counters c = counted(ptx, 2, 32, 1);
    /* the load that saw 0, the same counted once more, the one that saw 1 */
    assert_int_equal(c.global_load_requests, 3);
    assert_in_range(c.warp_instructions, 300000, 300060);
}

/* Turns that come back to the same registers, and do something. */
static void test_work_is_no_wait(void **state) {
    (void)state;
    static const struct {
        const char *turn;
        uint32_t out1;
    } work[] = {
        {"ld.global.u32 %r3, [%rd4+4]; add.u32 %r3, %r3, 1; st.global.u32 [%rd4+4], %r3;", 1000},
        {"red.global.add.u32 [%rd4+4], 1; ld.volatile.global.u32 %r3, [%rd4+4];", 1000},
        {"atom.global.add.u32 %r3, [%rd4+4], 1; add.u32 %r3, %r3, 1;", 1000},
        {"ld.shared.u32 %r3, [s]; add.u32 %r3, %r3, 1; st.shared.u32 [s], %r3;", 0},
        {"atom.shared.add.u32 %r3, [s], 1; add.u32 %r3, %r3, 1;", 0},
        {"ld.local.u32 %r3, [t]; add.u32 %r3, %r3, 1; st.local.u32 [t], %r3;", 0}};
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        char ptx[4000];
        snprintf(ptx, sizeof ptx, "%s%s%s%s",
                 HEAD ".shared .align 4 .b8 s[4];\n" BEGIN
                      ".local .align 4 .b8 t[4]; ld.param.u64 %rd4, [out];\n"
                      "mov.u32 %r3, 0; st.shared.u32 [s], %r3; st.local.u32 [t], %r3;\n"
                      "TURN: ld.volatile.global.u32 %r2, [%rd4];\n",
                 work[i].turn,
                 "setp.lt.u32 %p1, %r3, 1000; mov.u32 %r3, 0; @!%p1 bra DONE; bra.uni TURN;\n",
                 "DONE:" END);
        sg_counters c = counted(ptx, 1, 1, 1);
        assert_true(c.global_load_requests >= 1000);
        assert_true(c.warp_instructions >= 6000);
        assert_int_equal(out[1], work[i].out1);
    }
}

/* A queue of work, asked by atomicAdd, is shared out evenly, as it would be on a device. */
static void test_a_queue_is_shared_out(void **state) {
    (void)state;
    static const char ptx[] =
        HEAD BEGIN "ld.param.u64 %rd4, [out];\n"
                   "NEXT: atom.global.add.u32 %r2, [%rd4], 1; setp.ge.u32 %p1, %r2, 400; @%p1 "
                   "bra DONE;\n"
                   "mov.u32 %r9, 1000; WORK: sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 "
                   "bra WORK; bra.uni NEXT;\n"
                   "DONE:" END;
    sg_counters one = counted(ptx, 100, 1, 1), more = counted(ptx, 100, 1, 4);
    assert_memory_equal(&one, &more, sizeof one);
    assert_in_range(one.longest_block, 4 * 3000, 5 * 3020);
}

/* A wait by atomicAdd(p, 0) lets other blocks run, counted or not. */
static void test_who_asks_by_an_atomic_gives_way(void **state) {
    (void)state;
    memset(out, 0, 64);
    setenv("WARPBOOK_SOFTGPU_THREADS", "1", 1);
    succeed(
        HEAD BEGIN ARRIVE
        "WAIT: atom.global.add.u32 %r2, [%rd4], 0; setp.lt.u32 %p3, %r2, %r7; @%p3 bra WAIT;\n" MEET
            END,
        64, 64);
    unsetenv("WARPBOOK_SOFTGPU_THREADS");
    assert_int_equal(out[0], 64);
}

/* Lanes, warps and blocks that fight for one lock pass it on before they have asked a thousand
 * times each: that took so long that the watchdog called it a deadlock. */
static void test_a_lock_is_passed_on(void **state) {
    (void)state;
    memset(out, 0, 64);
    succeed(HEAD BEGIN
            "ld.param.u64 %rd4, [out];\n"
            "LOCK: atom.global.cas.b32 %r2, [%rd4], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra LOCK;\n"
            "ld.global.u32 %r3, [%rd4+4]; add.u32 %r3, %r3, 1; st.global.u32 [%rd4+4], %r3;\n"
            "membar.gl; atom.global.exch.b32 %r4, [%rd4], 0;" END,
            40, 128);
    assert_int_equal(out[1], 40 * 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_waits_count_the_same_each_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_idle_wait_counts_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_work_is_no_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_lock_is_passed_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_queue_is_shared_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_asks_by_an_atomic_gives_way, setup, teardown)};
    return cmocka_run_group_tests_name("poll", tests, NULL, NULL);
}
