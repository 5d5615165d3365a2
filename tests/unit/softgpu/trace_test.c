/* trace_test.c: what a traced launch tells of itself, where it is known beforehand. */
#include "tests/unit/softgpu/engine_kit.h"

static const sg_gpu gpu = {.latency = {[SG_LATENCY_ALU] = 4,
                                       [SG_LATENCY_SPECIAL] = 20,
                                       [SG_LATENCY_FP64] = 8,
                                       [SG_LATENCY_TENSOR] = 30,
                                       [SG_LATENCY_SHUFFLE] = 25,
                                       [SG_LATENCY_BARRIER] = 50,
                                       [SG_LATENCY_SHARED] = 30,
                                       [SG_LATENCY_SHARED_ATOMIC] = 60,
                                       [SG_LATENCY_L1] = 40,
                                       [SG_LATENCY_L2] = 300,
                                       [SG_LATENCY_DRAM] = 700,
                                       [SG_LATENCY_ATOMIC] = 400},
                           .l1_bytes = 1 << 16,
                           .l2_bytes = 1 << 20,
                           .l1_lines_per_clock = 4,
                           .l2_sectors_per_clock = 2};

static sg_traits traced(const char *ptx, uint32_t grid, uint32_t block) {
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    if (run(ptx, grid, block, &l))
        fail_msg("%s%s", l.fault.text, refusal);
    return l.traits;
}

static void a_copy(void **state) {
    (void)state;
    sg_traits t =
        traced(HEAD BEGIN "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;" END, 1, 1024);
    assert_int_equal(t.blocks, 1);
    assert_int_equal(t.traced, 1);
    assert_true(t.l2_reads == 128 && t.l2_writes == 128 && t.l2_partial_writes == 0);
    assert_true(t.dram_reads == 128 && t.dram_writes == 0 && t.dirty == 128);
    assert_true(t.l1_clocks == 64); /* a request each for 32 loads and 32 stores */
    assert_true(t.pipes[SG_PIPE_MEMORY] == 64);
    assert_true(t.chain > 700 && t.chain < 900);
}

/* Each block finds L1 empty, and L2 as the others left it. */
static void blocks_share_l2(void **state) {
    (void)state;
    sg_traits t =
        traced(HEAD BEGIN "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;" END, 1000, 32);
    assert_int_equal(t.blocks, 1000);
    assert_in_range(t.traced, 30, 34);
    assert_true(t.l2_reads == 4000 && t.dram_reads == 4);
    assert_true(t.longest_chain > 700 && t.chain < 700);
}

/* Loads that follow from each other take their latency each: here always the same word, from L1. */
static void a_chain(void **state) {
    (void)state;
    in[0] = 0;
    sg_traits t = traced(
        HEAD BEGIN "mov.u32 %r2, 0; mov.u32 %r3, 0; LOOP: mul.wide.u32 %rd4, %r3, 4; "
                   "add.s64 %rd4, %rd2, %rd4; ld.global.u32 %r3, [%rd4]; add.u32 %r2, %r2, 1; "
                   "setp.lt.u32 %p1, %r2, 100; @%p1 bra LOOP; st.global.u32 [%rd1], %r3;" END,
        1, 1);
    assert_true(t.chain > 100 * 44 && t.chain < 100 * 50 + 900);
    in[0] = 0 * 2654435761u;
}

/* Sums that do not wait for each other begin one a clock; those that do, every four. */
static void sums(void **state) {
    (void)state;
    char ptx[8000], *p = ptx;
    double chains[2];
    for (int dependent = 0; dependent < 2; dependent++) {
        p = ptx + sprintf(ptx, "%s", HEAD BEGIN "mov.f32 %f0, 0f3f800000;\n");
        for (int k = 0; k < 100; k++)
            p += sprintf(p, "add.f32 %%f%d, %%f%d, %%f0;\n", dependent ? 1 : 1 + k % 8,
                         dependent ? 1 : 1 + k % 8);
        sprintf(p, "st.global.f32 [%%rd1], %%f1;" END);
        sg_traits t = traced(ptx, 1, 32);
        chains[dependent] = t.chain;
        assert_true(t.pipes[SG_PIPE_FMA] == 100);
    }
    assert_true(chains[0] < 130 && chains[1] > 390 && chains[1] < 430);
}

/* Warps that come to a barrier late keep the others. */
static void barriers(void **state) {
    (void)state;
    sg_traits t = traced(
        HEAD BEGIN "setp.lt.u32 %p2, %r1, 32; mov.u32 %r2, 0; @!%p2 bra MEET;\n"
                   "LOOP: ld.global.u32 %r3, [%rd2]; add.u32 %r4, %r3, %r4; xor.b32 %r5, %r4, 1; "
                   "membar.gl; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 64; @%p1 bra LOOP;\n"
                   "MEET: bar.sync 0; bar.sync 0; st.global.u32 [%rd1], %r2;" END,
        1, 1024);
    assert_true(t.chain > 64 / 4 * 40 + 2 * 50);
    assert_int_equal(t.warps, 32);
}

static void words_far_apart(void **state) {
    (void)state;
    sg_traits t = traced(HEAD BEGIN "mul.wide.u32 %rd4, %r1, 120; add.s64 %rd4, %rd2, %rd4; "
                                    "ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd1], %r2;" END,
                         1, 32);
    assert_true(t.l2_reads == 32);
    assert_true(t.dram_reads == 64);            /* two sectors come together */
    assert_in_range(t.l1_clocks, 8 + 1, 9 + 1); /* 32 lines, 4 a clock, all banks; and the store */
}

/* The results are those of any launch. */
static void nothing_else_changes(void **state) {
    (void)state;
    static const char ptx[] = HEAD
        ".shared .align 4 .b8 s[4096];\n" BEGIN
        "mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r4, %r4, %r5; ld.global.u32 %r3, [%rd2]; "
        "st.shared.u32 [%r4], %r3; bar.sync 0; xor.b32 %r6, %r5, 1020; mov.u32 %r7, s; "
        "add.u32 %r7, %r7, %r6; ld.shared.u32 %r8, [%r7]; red.global.add.u32 [%rd1], %r8;" END;
    uint32_t plain[256];
    sg_launch a = {.options = SG_COUNT}, b = {.options = SG_TRACE, .gpu = &gpu};
    memset(out, 0, 4096);
    assert_int_equal(run(ptx, 77, 256, &a), 0);
    memcpy(plain, out, sizeof plain);
    memset(out, 0, 4096);
    assert_int_equal(run(ptx, 77, 256, &b), 0);
    assert_memory_equal(plain, out, sizeof plain);
    assert_memory_equal(&a.counters, &b.counters, sizeof a.counters);
    assert_true(b.traits.shared_wavefronts == 77 * 8 * 2 && b.traits.l2_atomics == 77 * 32);
    assert_true(b.traits.busiest_address == 77);
}

/* What the model has no time for is named; where it did not run it is no matter. */
static void what_is_unknown(void **state) {
    (void)state;
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[64];\n" BEGIN
        "setp.ne.u32 %p1, %r1, WHO; @%p1 bra SKIP; mov.u32 %r4, s; ld.param.u64 %rd4, [out];\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r4], 16; "
        "cp.async.bulk.commit_group; "
        "cp.async.bulk.wait_group 0; SKIP: " END;
    for (int who = 0; who < 2; who++) {
        char text[4000], *at = text;
        const char *word = strstr(ptx, "WHO");
        at += sprintf(at, "%.*s%d%s", (int)(word - ptx), ptx, who ? 99 : 0, word + 3);
        sg_traits t = traced(text, 1, 32);
        assert_true((t.unknown != NULL) == !who);
        assert_true(who || strstr(t.unknown, "cp.async.bulk"));
    }
}

static void a_fault_ends_it(void **state) {
    (void)state;
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    assert_int_equal(
        run(HEAD BEGIN "ld.global.u32 %r2, [%rd2+1048576]; bar.sync 0;" END, 8, 64, &l), 700);
    a_copy(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy),
        cmocka_unit_test(blocks_share_l2),
        cmocka_unit_test(a_chain),
        cmocka_unit_test(sums),
        cmocka_unit_test(barriers),
        cmocka_unit_test(words_far_apart),
        cmocka_unit_test(nothing_else_changes),
        cmocka_unit_test(what_is_unknown),
        cmocka_unit_test(a_fault_ends_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
