/* stores_test.c: which stores of a warp leave L1 together, and what L2 gets of them. */
#include <math.h>

#include "runtime/base/base.h"
#include "tests/unit/softgpu/engine_kit.h"

static const sg_gpu gpu = {.latency = {[SG_LATENCY_ALU] = 4,
                                       [SG_LATENCY_BARRIER] = 50,
                                       [SG_LATENCY_SHARED] = 30,
                                       [SG_LATENCY_L1] = 40,
                                       [SG_LATENCY_L2] = 300,
                                       [SG_LATENCY_DRAM] = 700,
                                       [SG_LATENCY_ATOMIC] = 400},
                           .l1_bytes = 1 << 16,
                           .l2_bytes = 1 << 20,
                           .l1_lines_per_clock = 4,
                           .l2_sectors_per_clock = 2,
                           .clocks_per_ns = 2};

/* Each thread writes `words` words, `between` standing between them, in a block of so many warps.
 */
static sg_traits stored(uint32_t words, const char *between, uint32_t warps) {
    char ptx[4000] = HEAD BEGIN, *end = ptx + strlen(ptx);
    end += sprintf(end, "mul.wide.u32 %%rd4, %%r1, %u; add.s64 %%rd4, %%rd1, %%rd4;\n",
                   4 * (words - 1)); /* beside the thread's word, where it lies already */
    for (uint32_t k = 0; k < words; k++)
        end += sprintf(end, "%s st.global.u32 [%%rd4+%u], %%r1;\n", k ? between : "", 4 * k);
    strcpy(end, END);
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    if (run(ptx, 1, 32 * warps, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    return l.traits;
}

/* Of a structure of 2 to 7 words L2 gets each sector once, and whole. */
static void members_leave_together(void **state) {
    (void)state;
    for (uint32_t words = 1; words <= 7; words++) {
        sg_traits t = stored(words, "", 1);
        assert_true(t.l2_writes == 4 * words && t.l2_partial_writes == 0);
        assert_true(t.l2_joined == 4 * words * words - 4 * words);
        assert_true(t.dram_reads == 0 && t.dirty == 4 * words);
    }
}

/* A wait between them parts them: each then writes parts of the same 12 sectors in three lines. */
static void a_wait_parts_them(void **state) {
    (void)state;
    static const char *const waits[] = {"ld.global.u32 %r2, [%rd2];", "membar.gl;", "bar.sync 0;",
                                        "atom.global.add.u32 %r2, [%rd2], 0;"};
    static const char *const none[] = {"mov.u32 %r2, 5; mul.lo.u32 %r2, %r2, %r2;",
                                       "ld.global.nc.u32 %r2, [%rd2];"};
    for (size_t k = 0; k < WB_COUNT(waits); k++) {
        sg_traits t = stored(3, waits[k], 1);
        assert_true(t.l2_writes == 36 && t.l2_partial_writes == 9 && t.l2_joined == 0);
    }
    for (size_t k = 0; k < WB_COUNT(none); k++)
        assert_true(stored(3, none[k], 1).l2_writes == 12);
}

/* Other warps' stores come between where the block has many lines on their way. */
static void many_lines_leave_apart(void **state) {
    (void)state;
    sg_traits t = stored(3, "", 8); /* 24 lines, but each warp is soon done */
    assert_true(fabs(t.l2_writes - 8 * (12 + 24 * 24 / 130.0)) < 1e-9);
    assert_true(stored(5, "", 4).l2_writes == 4 * 20); /* 20 lines */
    t = stored(6, "", 5);                              /* 30 lines: half of them */
    assert_true(t.l2_writes == 5 * (24 + 144) / 2.0 && t.l2_partial_writes == 5 * 36 / 2.0);
    assert_true(t.l2_joined == 5 * 144 - t.l2_writes);
}

/* Words of a plane each have lines of their own: nothing is won, nothing lost. */
static void planes_are_as_they_were(void **state) {
    (void)state;
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    assert_int_equal(
        run(HEAD BEGIN "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+1024], %r1;" END, 1, 32, &l),
        0);
    assert_true(l.traits.l2_writes == 8 && l.traits.l2_partial_writes == 0 &&
                l.traits.l2_joined == 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(members_leave_together), TEST(a_wait_parts_them),
                                       TEST(many_lines_leave_apart), TEST(planes_are_as_they_were)};
    return cmocka_run_group_tests_name("stores", tests, NULL, NULL);
}
