/* waits_test.c: blocks that wait for one another go on in the order of the GPU's clock
 * (runtime/softgpu/watch/trace/waits.c). */
#include <math.h>

#include "tests/unit/softgpu/engine_kit.h"

#define LOAD 300
#define ATOMIC 320
#define FENCE 500
#define SEEN 100
#define BLOCK 700

static const sg_gpu gpu = {.latency = {[SG_LATENCY_ALU] = 4,
                                       [SG_LATENCY_L1] = 40,
                                       [SG_LATENCY_L2] = LOAD,
                                       [SG_LATENCY_DRAM] = LOAD,
                                       [SG_LATENCY_ATOMIC] = ATOMIC,
                                       [SG_LATENCY_FENCE] = FENCE,
                                       [SG_LATENCY_BARRIER] = 12,
                                       [SG_LATENCY_SHARED] = 20},
                           .l1_bytes = 16384,
                           .l2_bytes = 1 << 20,
                           .l1_lines_per_clock = 1,
                           .l2_sectors_per_clock = 2,
                           .clocks_per_ns = 2,
                           .seen_clocks = SEEN,
                           .block_clocks = BLOCK};

/* Block %r2; %rd4 and %rd5 the arrays, %rd6 the block's word of `out`, for one thread of each. */
#define BLOCKWISE                                                                                  \
    BEGIN "ld.param.u64 %rd4, [out]; ld.param.u64 %rd5, [in]; mov.u32 %r2, %ctaid.x;\n"            \
          "mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;\n"
#define WORK(turns)                                                                                \
    "mov.u32 %r9, " turns "; WORK: sub.u32 %r9, %r9, 1; setp.ne.u32 %p9, %r9, 0; @%p9 bra WORK;\n"
#define LOCK "LOCK: atom.global.exch.b32 %r3, [%rd4], 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra LOCK;\n"
#define UNLOCK "membar.gl; atom.global.exch.b32 %r3, [%rd4], 0;\n"

static sg_traits timed(const char *ptx, uint32_t grid, uint32_t block, uint64_t resident) {
    sg_gpu here = gpu;
    here.resident = resident;
    sg_launch l = {.options = SG_TRACE | SG_COUNT, .gpu = &here};
    memset(out, 0, 4096);
    if (run(ptx, grid, block, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    return l.traits;
}

static double ends(const char *ptx, uint32_t grid, uint64_t resident) {
    return timed(ptx, grid, 1, resident).last_end;
}

static bool near(double is, double wanted, double by) {
    if (fabs(is - wanted) <= by)
        return true;
    print_error("%g, not %g\n", is, wanted);
    return false;
}

/* Each block waits for its word, which the one before writes: a step is a word's way, on
 * average. */
static void a_row(void **state) {
    (void)state;
    static const char row[] = HEAD BLOCKWISE
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra GO;\n"
        "WAIT: ld.volatile.global.u32 %r3, [%rd6]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;\n"
        "GO: st.volatile.global.u32 [%rd6+4], 1;" END;
    double ten = ends(row, 11, 0), hundred = ends(row, 101, 0);
    double step = (hundred - ten) / 90;
    assert_true(step > SEEN + LOAD && step < SEEN + 3 * LOAD + 50);
    assert_true(near(ends(row, 201, 0), hundred + 100 * step, 5 * step));
}

/* One after the other does its work inside of the lock; without it, all at once. */
static void a_lock(void **state) {
    (void)state;
    double all = ends(HEAD BLOCKWISE LOCK WORK("1000") UNLOCK END, 20, 0);
    double one = ends(HEAD BLOCKWISE LOCK WORK("1000") UNLOCK END, 1, 0);
    double outside = ends(HEAD BLOCKWISE WORK("1000") LOCK UNLOCK END, 20, 0);
    assert_true(all > 19 * 1000 * 4 && all < 20 * one + 20 * (SEEN + ATOMIC));
    assert_true(outside < one + 20 * (FENCE + SEEN + 2 * ATOMIC + 50));
}

/* If few blocks fit at once, the others begin when those have ended. */
static void waves(void **state) {
    (void)state;
    static const char ptx[] = HEAD BLOCKWISE LOCK UNLOCK WORK("1000") END;
    double one = ends(ptx, 1, 0), together = ends(ptx, 8, 8), in_pairs = ends(ptx, 8, 2);
    assert_true(together < 2.5 * one);
    assert_true(in_pairs > 4 * one && in_pairs < 4 * together + 4 * BLOCK);
}

/* Nobody takes a piece before the one whose clock comes first: blocks of unlike speed share a queue
 * of work by their speed. Block 0 takes ten times as long; each notes how many pieces it had. */
static void a_queue_of_work(void **state) {
    (void)state;
    static const char ptx[] = HEAD BLOCKWISE
        "setp.eq.u32 %p1, %r2, 0; selp.u32 %r8, 5000, 500, %p1; mov.u32 %r5, 0;\n"
        "NEXT: atom.global.add.u32 %r3, [%rd4+2000], 1; setp.ge.u32 %p2, %r3, 400; @%p2 bra OUT;\n"
        "add.u32 %r5, %r5, 1; mov.u32 %r9, %r8;\n"
        "WORK: sub.u32 %r9, %r9, 1; setp.ne.u32 %p9, %r9, 0; @%p9 bra WORK; bra NEXT;\n"
        "OUT: st.global.u32 [%rd6], %r5;" END;
    ends(ptx, 5, 0);
    uint32_t others = out[1] + out[2] + out[3] + out[4];
    assert_int_equal(out[0] + others, 400);
    assert_in_range(out[0], 8, 14); /* 400 / 41 */
}

/* A thread that sleeps between polls finds the answer at the next poll. */
static void naps(void **state) {
    (void)state;
    double ended[2];
    for (int how = 0; how < 2; how++) {
        char *ptx = wb_format("%s setp.ne.u32 %%p1, %%r2, 0; @%%p1 bra WAIT; %s "
                              "st.volatile.global.u32 [%%rd4], 1; ret;\n"
                              "WAIT: %s ld.volatile.global.u32 %%r3, [%%rd4]; "
                              "setp.eq.u32 %%p2, %%r3, 0; @%%p2 bra WAIT; %s",
                              HEAD BLOCKWISE, WORK("1000"), how ? "nanosleep.u32 20000;" : "", END);
        ended[how] = ends(ptx, 2, 0);
        free(ptx);
    }
    assert_true(ended[0] < 1000 * 10 + 2 * LOAD + SEEN + 100);
    assert_true(near(ended[1], 40000 + LOAD, 200)); /* asked once, when it had slept */
}

/* All wait for all, again and again; half of the threads hold something else up meanwhile. */
static void the_same_each_time(void **state) {
    (void)state;
    static const char ptx[] = HEAD BLOCKWISE
        "mov.u32 %r5, 0; mov.u32 %r7, %nctaid.x; mov.u32 %r8, %r7;\n"
        "PHASE: bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;\n"
        "membar.gl; red.global.add.u32 [%rd4+4000], 1;\n"
        "WAIT: ld.volatile.global.u32 %r3, [%rd4+4000]; setp.lt.u32 %p2, %r3, %r8; @%p2 bra WAIT;\n"
        "MEET: bar.sync 0; add.u32 %r8, %r8, %r7; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 5; "
        "@%p4 bra PHASE; st.global.u32 [%rd6], %r5;" END;
    sg_traits first = timed(ptx, 40, 96, 40);
    assert_true(first.last_end > 5 * (FENCE + LOAD));
    assert_true(first.last_end < 5 * (FENCE + SEEN + 2 * ATOMIC + 2 * LOAD + 400) + 2000);
    for (int k = 0; k < 3; k++) {
        sg_traits again = timed(ptx, 40, 96, 40);
        assert_true(again.last_end == first.last_end && again.issued == first.issued);
    }
    for (int k = 0; k < 40; k++)
        assert_int_equal(out[k], 5);
}

static void what_is_unknown(void **state) {
    (void)state;
    static const char tries[] = HEAD BLOCKWISE
        "ld.global.u32 %r3, [%rd4]; LOOP: mov.u32 %r4, %r3; add.u32 %r5, %r4, 3; "
        "atom.global.cas.b32 %r3, [%rd4], %r4, %r5; setp.ne.u32 %p1, %r3, %r4; @%p1 bra LOOP;" END;
    sg_traits t = timed(tries, 30, 64, 0);
    assert_int_equal(out[0], 30 * 64 * 3);
    assert_int_equal(t.no_time, SG_TRIES);
    static const char lock[] = HEAD BLOCKWISE LOCK UNLOCK END;
    assert_int_equal(timed(lock, 30, 1, 0).no_time, SG_HAS_TIME);
    sg_traits many = timed(lock, 65537, 1, 0);
    assert_true(many.waits && many.last_end == 0);
}

/* A kernel that waits for a block without a place on the GPU ends with an error, as on a GPU. */
static void nobody_comes(void **state) {
    (void)state;
    static const char all_meet[] = HEAD BLOCKWISE
        "red.global.add.u32 [%rd4], 1; mov.u32 %r7, %nctaid.x;\n"
        "WAIT: ld.volatile.global.u32 %r3, [%rd4]; setp.lt.u32 %p2, %r3, %r7; @%p2 bra WAIT;" END;
    sg_gpu small = gpu;
    small.resident = 4;
    sg_launch l = {.options = SG_TRACE, .gpu = &small};
    setenv("WARPBOOK_SOFTGPU_WATCHDOG", "0.3", 1);
    memset(out, 0, 4096);
    assert_int_equal(run(all_meet, 5, 1, &l), 702);
    assert_string_equal(sg_fault_kind_name(l.fault.kind), "deadlock");
    small.resident = 5;
    memset(out, 0, 4096);
    assert_int_equal(run(all_meet, 5, 1, &l), 0);
    unsetenv("WARPBOOK_SOFTGPU_WATCHDOG");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_row),           TEST(a_lock),      TEST(waves),
        TEST(a_queue_of_work), TEST(naps),        TEST(the_same_each_time),
        TEST(what_is_unknown), TEST(nobody_comes)};
    return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
