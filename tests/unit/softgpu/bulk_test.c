/* bulk_test.c: clocks of copies by the hardware, and of warps that wait for them
 * (runtime/softgpu/watch/trace/bulk.c). */
#include "tests/unit/softgpu/engine_kit.h"

#define LATENCY 300
#define COPIES 4

static const sg_gpu gpu = {.latency = {[SG_LATENCY_ALU] = 4,
                                       [SG_LATENCY_SHARED] = 20,
                                       [SG_LATENCY_BARRIER] = 12,
                                       [SG_LATENCY_L2] = LATENCY,
                                       [SG_LATENCY_DRAM] = LATENCY},
                           .l1_bytes = 16384,
                           .l2_bytes = 1 << 20,
                           .l1_lines_per_clock = 1,
                           .l2_sectors_per_clock = 2,
                           .clocks_per_ns = 2};

/* Thread 0 copies, while 32 others go to OTHERS. The barrier is at s, the data behind it. */
#define ONE                                                                                        \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[4112];\n" BEGIN        \
    "mov.u32 %r4, s; add.u32 %r4, %r4, 16; ld.param.u64 %rd4, [out]; ld.param.u64 %rd5, [in];\n"   \
    "setp.ne.u32 %p2, %r1, 0; @%p2 bra READY;\nmbarrier.init.shared.b64 [s], "
#define BEGINS                                                                                     \
    ";\nREADY: bar.sync 0; setp.gt.u32 %p2, %r1, 31; @%p2 bra OTHERS; setp.ne.u32 %p2, %r1, 0; "   \
    "@%p2 bra OUT;\n"
#define ENDS "\nbra OUT;\nOTHERS: mov.u32 %r9, 0;\n"

static sg_traits timed(const char *ptx) {
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    if (run(ptx, 1, 64, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    assert_int_equal(l.traits.no_time, SG_HAS_TIME);
    return l.traits;
}

static double clocks(const char *arrivals, const char *copies, const char *others) {
    char ptx[4000];
    snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s%s", ONE, arrivals, BEGINS, copies, ENDS, others,
             "\nOUT: " END);
    return timed(ptx).chain;
}

static char *fetch(char *at, unsigned bytes) {
    return at + sprintf(at,
                        "mbarrier.arrive.expect_tx.shared.b64 _, [s], %u;\n"
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                        "[%%r4], [%%rd5], %u, [s];\n",
                        bytes, bytes);
}

static char *await(char *at, const char *label, int parity) {
    return at + sprintf(at,
                        "%s: mbarrier.try_wait.parity.shared.b64 %%p1, [s], %d; @!%%p1 bra %s;\n",
                        label, parity, label);
}

/* Each waited for before the next one begins. */
static double one_by_one(unsigned bytes) {
    char text[2000], *at = text, label[8];
    for (int k = 0; k < COPIES; k++) {
        snprintf(label, sizeof label, "W%d", k);
        at = await(fetch(at, bytes), label, k & 1);
    }
    return clocks("1", text, "");
}

/* All at once; the other warp waits for all of them, and has asked for long when they come. */
static double at_once(unsigned bytes) {
    char text[2000], others[400], *at = text;
    for (int k = 0; k < COPIES; k++)
        at = fetch(at, bytes);
    await(others, "W", 0);
    return clocks("4", text, others);
}

static double back(unsigned bytes) {
    char text[2000], *at = text;
    for (int k = 0; k < COPIES; k++)
        at += sprintf(at,
                      "cp.async.bulk.global.shared::cta.bulk_group [%%rd4], [%%r4], %u;\n"
                      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n",
                      bytes);
    return clocks("1", text, "");
}

static bool near(double is, double wanted, double by) {
    if (is >= wanted - by && is <= wanted + by)
        return true;
    print_error("%g, not %g\n", is, wanted);
    return false;
}

static void what_a_byte_takes(void **state) {
    (void)state;
    assert_true(near(one_by_one(4096) - one_by_one(16), COPIES * 4080 / 97., 8));
    assert_true(near(back(4096) - back(32), COPIES * 4064 / 32., 8));
}

static void latency_is_hidden(void **state) {
    (void)state;
    double alone = one_by_one(1024), together = at_once(1024);
    assert_true(alone > COPIES * LATENCY && alone < COPIES * (LATENCY + 1024 / 97. + 80) + 200);
    assert_true(together > LATENCY + COPIES * 1024 / 97. && together < LATENCY + 400);
}

/* A thread that polls early polls an unknown number of times, and goes on when the last one has
 * arrived. */
static void asking_takes_no_time(void **state) {
    (void)state;
    char text[800], others[400];
    double ends[2];
    await(others, "W", 0);
    for (int turns = 0; turns < 2; turns++) {
        sprintf(text,
                "mov.u32 %%r9, %d; WORK: sub.u32 %%r9, %%r9, 1; setp.ne.u32 %%p3, %%r9, 0; "
                "@%%p3 bra WORK; mbarrier.arrive.shared.b64 _, [s];",
                turns ? 2000 : 1000);
        ends[turns] = clocks("1", text, others);
    }
    double turn = (ends[1] - ends[0]) / 1000;
    assert_true(turn > 2 && turn < 20);
    assert_true(near(ends[0], 1000 * turn, 200));
}

static void what_it_moves(void **state) {
    (void)state;
    char ptx[4000], text[600];
    await(fetch(text, 2048), "W", 0);
    snprintf(ptx, sizeof ptx, "%s1%s%s%s%s", ONE, BEGINS, text, ENDS, "\nOUT: " END);
    sg_traits t = timed(ptx);
    assert_true(t.l2_reads == 2048 / 32 && t.dram_reads == 2048 / 32 && t.l2_writes == 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(what_a_byte_takes), TEST(latency_is_hidden),
                                       TEST(asking_takes_no_time), TEST(what_it_moves)};
    return cmocka_run_group_tests_name("bulk", tests, NULL, NULL);
}
