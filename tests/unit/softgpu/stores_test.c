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
static sg_traits stored_behind(const char *first, uint32_t words, const char *between,
                               uint32_t warps) {
    char ptx[4000] = HEAD BEGIN, *end = ptx + strlen(ptx);
    end += sprintf(end, "mul.wide.u32 %%rd4, %%r1, %u; add.s64 %%rd4, %%rd1, %%rd4;\n",
                   4 * (words - 1)); /* beside the thread's word, where it lies already */
    end += sprintf(end, "%s", first);
    for (uint32_t k = 0; k < words; k++)
        end += sprintf(end, "%s st.global.u32 [%%rd4+%u], %%r1;\n", k ? between : "", 4 * k);
    strcpy(end, END);
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    if (run(ptx, 1, 32 * warps, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    return l.traits;
}

static sg_traits stored(uint32_t words, const char *between, uint32_t warps) {
    return stored_behind("", words, between, warps);
}

/* L2 gets nearly each sector of a structure of up to three words once, and whole. */
static void members_leave_together(void **state) {
    (void)state;
    for (uint32_t words = 1; words <= 3; words++) {
        sg_traits t = stored(words, "", 1);
        double each = 4 * words * words;
        assert_true(t.l2_writes >= 4 * words && t.l2_writes < 4 * words + 0.02 * each);
        assert_true(t.l2_partial_writes < 0.02 * words * words);
        assert_true(fabs(t.l2_joined - (each - t.l2_writes)) < 1e-9);
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
        assert_true(stored(3, none[k], 1).l2_writes < 12.5);
}

/* Stores to many lines leave apart in part, more where many warps come at once: as an H100's did
 * (tests/gpu/results/micro, stores), within a quarter of them. */
static void many_lines_leave_apart(void **state) {
    (void)state;
    static const struct {
        uint32_t words, warps;
        bool spread; /* a load has parted the warps */
        double apart;
    } cases[] = {{3, 4, false, 0.01}, {3, 8, false, 0.04}, {4, 4, false, 0.11}, {4, 8, false, 0.12},
                 {5, 4, false, 0.18}, {6, 4, false, 0.21}, {7, 4, false, 0.60}, {8, 4, false, 0.84},
                 {5, 4, true, 0.03},  {7, 4, true, 0.49},  {3, 8, true, 0.02}};
    for (size_t k = 0; k < WB_COUNT(cases); k++) {
        double words = cases[k].words, warps = cases[k].warps, together = 4 * words;
        sg_traits t = stored_behind(cases[k].spread ? "ld.global.u32 %r3, [%rd2];" : "",
                                    cases[k].words, "", cases[k].warps);
        double each = words * together; /* a sector of each for each word */
        double apart = (t.l2_writes / warps - together) / (each - together);
        assert_true(fabs(apart - cases[k].apart) < 0.23);
        assert_true(fabs(t.l2_partial_writes - warps * apart * words * words) < 1e-9);
        assert_true(fabs(t.l2_joined - (warps * each - t.l2_writes)) < 1e-9);
    }
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
