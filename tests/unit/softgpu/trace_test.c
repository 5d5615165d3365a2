/* trace_test.c: what a traced launch tells of itself, where it is known beforehand. */
#include <math.h>

#include "runtime/base/base.h"
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
                           .l2_sectors_per_clock = 2,
                           .constant_clocks = 4,
                           .clocks_per_ns = 2};

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
    assert_true(t.l1_requests == 64 && t.l1_clocks == 0); /* of 32 loads and 32 stores */
    assert_true(t.pipes[SG_PIPE_MEMORY] == 64);
    /* the slowest of 32 lines: between the mean and what a line takes at most */
    assert_true(t.chain > 700 * 1.09 && t.chain < 700 * 1.65 + 200);
}

/* Lines are not equally far. One after another they take the GPU's figure each, on average; who
 * waits for many at once waits for the slowest. */
static void lines_are_not_equally_far(void **state) {
    (void)state;
    enum { LINES = 32 }; /* that `in` has */
    double chains[2];
    for (int dependent = 0; dependent < 2; dependent++) {
        char ptx[8000] = HEAD BEGIN "mov.u64 %rd4, %rd2; mov.u32 %r3, 0;\n";
        for (int k = 0; k < LINES; k++) {
            size_t n = strlen(ptx);
            snprintf(ptx + n, sizeof ptx - n, "ld.global.u32 %%r2, [%%rd%d+%d]; %s\n",
                     dependent ? 4 : 2, 128 * k,
                     dependent ? "and.b32 %r2, %r2, 0; cvt.u64.u32 %rd5, %r2; "
                                 "add.s64 %rd4, %rd2, %rd5;"
                               : "add.u32 %r3, %r3, %r2;");
        }
        strcat(ptx, "add.u32 %r3, %r3, %r2; st.global.u32 [%rd1], %r3;" END);
        chains[dependent] = traced(ptx, 1, 32).chain;
    }
    assert_true(chains[1] / LINES > 700 * 0.8 && chains[1] / LINES < 700 * 1.2 + 20);
    assert_true(chains[0] > 700 * 1.3 && chains[0] < 700 * 1.53 + 300);
}

/* Each block finds L1 empty, and L2 as the others left it; blocks that run at once wait for what
 * one of them has asked memory for. */
static void blocks_share_l2(void **state) {
    (void)state;
    double chain[2];
    for (uint64_t resident = 0; resident <= 10; resident += 10) {
        sg_gpu some = gpu;
        sg_launch l = {.options = SG_TRACE, .gpu = &some};
        some.resident = resident;
        assert_int_equal(run(HEAD BEGIN "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;" END,
                             1000, 32, &l),
                         0);
        sg_traits t = l.traits;
        assert_int_equal(t.blocks, 1000);
        assert_in_range(t.traced, 5, 24);
        assert_true(t.ran == 1000 && t.l2_reads == 4000 && t.dram_reads == 4);
        chain[resident != 0] = t.chain;
    }
    assert_true(chain[0] > chain[1] + 200); /* the same line from memory, and from L2 */
}

/* Data that all blocks read stays in L1 from block to block of a multiprocessor. Their other work
 * depends on what they read, so there is no sample. */
static void blocks_share_l1(void **state) {
    (void)state;
    static const char ptx[] = HEAD BEGIN
        "ld.param.u64 %rd5, [in]; ld.global.u32 %r2, [%rd5]; and.b32 %r2, %r2, 4; "
        "cvt.u64.u32 %rd6, %r2; add.s64 %rd6, %rd2, %rd6; ld.global.u32 %r3, [%rd6+128]; "
        "st.global.u32 [%rd1], %r3;" END;
    double reads[2];
    for (int k = 0; k < 2; k++) {
        sg_gpu some = gpu;
        sg_launch l = {.options = SG_TRACE, .gpu = &some};
        some.blocks_each = k ? 10 : 1;
        assert_int_equal(run(ptx, 320, 32, &l), 0);
        assert_int_equal(l.traits.traced, 32);
        reads[k] = l.traits.l2_reads;
    }
    assert_true(reads[0] == 320 * 5 || reads[0] == 320 * 6);
    assert_true(fabs(reads[1] - reads[0] * 4 / 32) < 1); /* every tenth finds it empty */
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

/* Counts the instructions that ptxas makes of single ones: four of each. */
static void routines(void **state) {
    (void)state;
    static const struct {
        const char *inst;
        double slots, pipes[SG_PIPES];
    } cases[] = {
        {"add.f32 %f1, %f2, %f3;", 1, {[SG_PIPE_FMA] = 1}},
        {"neg.f32 %f1, %f2;", 0, {0}},
        {"div.rn.f32 %f1, %f2, %f3;", 13, {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 5}},
        {"div.approx.ftz.f32 %f1, %f2, %f3;", 2, {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 1}},
        {"rcp.rn.f32 %f1, %f2;", 13, {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 3, [SG_PIPE_ALU] = 3}},
        {"sqrt.rn.f32 %f1, %f2;",
         13,
         {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 4, [SG_PIPE_ALU] = 2}},
        {"ex2.approx.f32 %f1, %f2;",
         4,
         {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 2, [SG_PIPE_ALU] = 1}},
        {"ex2.approx.ftz.f32 %f1, %f2;", 1, {[SG_PIPE_SPECIAL] = 1}},
        {"sin.approx.f32 %f1, %f2;", 2, {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 1}},
        {"div.rn.f64 %fd1, %fd2, %fd3;",
         21,
         {[SG_PIPE_SPECIAL] = 1, [SG_PIPE_FMA] = 1, [SG_PIPE_ALU] = 2, [SG_PIPE_FP64] = 8}},
        {"div.u32 %r2, %r3, %r4;",
         18,
         {[SG_PIPE_SPECIAL] = 3, [SG_PIPE_ALU] = 8, [SG_PIPE_IMAD] = 6}},
        {"rem.s32 %r2, %r3, %r4;",
         24,
         {[SG_PIPE_SPECIAL] = 3, [SG_PIPE_ALU] = 12, [SG_PIPE_IMAD] = 7}},
        {"mad.lo.s32 %r2, %r3, %r4, %r5;", 1, {[SG_PIPE_IMAD] = 1}},
        {"cvt.rzi.s32.f32 %r2, %f1;", 1, {[SG_PIPE_SPECIAL] = 1}},
        {"cvt.rn.f32.s32 %f1, %r2;", 1, {[SG_PIPE_ALU] = 1}},
        {"fma.rn.f16x2 %r2, %r3, %r4, %r5;", 1, {[SG_PIPE_HALF] = 1}},
    };
    sg_traits bare = traced(HEAD BEGIN "st.global.u32 [%rd1], %r1;" END, 1, 32);
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        const char *one = cases[i].inst;
        char *ptx = wb_format("%s%s%s%s%s%s", HEAD BEGIN "st.global.u32 [%rd1], %r1;", one, one,
                              one, one, END);
        sg_traits t = traced(ptx, 1, 32);
        assert_true(t.issued - bare.issued == 4 * cases[i].slots);
        for (int k = 0; k < SG_PIPES; k++)
            if (t.pipes[k] - bare.pipes[k] != 4 * cases[i].pipes[k])
                fail_msg("%s: pipe %d has %g", one, k, (t.pipes[k] - bare.pipes[k]) / 4);
        free(ptx);
    }
}

/* A quotient waits for its estimate, and eight instructions behind it for each other. */
static void chains_of_routines(void **state) {
    (void)state;
    static const struct {
        const char *inst;
        double clocks;
    } cases[] = {{"div.rn.f32 %f1, %f1, %f3;", 20 + 8 * 4},
                 {"div.rn.f64 %fd1, %fd1, %fd3;", 20 + 8 * 8},
                 {"rsqrt.approx.ftz.f32 %f1, %f1;", 20},
                 {"rsqrt.approx.f32 %f1, %f1;", 20 + 4 * 4}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *ptx =
            wb_format("%s%s %s %s %s cvt.rn.f32.f64 %%f4, %%fd1; add.f32 %%f1, %%f1, %%f4; "
                      "st.global.f32 [%%rd1], %%f1; %s",
                      HEAD BEGIN, cases[i].inst, cases[i].inst, cases[i].inst, cases[i].inst, END);
        double chain = traced(ptx, 1, 32).chain;
        assert_true(chain >= 4 * cases[i].clocks && chain < 4 * cases[i].clocks + 60);
        free(ptx);
    }
}

/* Loads behind short branches begin together, whoever waits between; behind long ones they wait. */
static void short_branches(void **state) {
    (void)state;
    for (int length = 0; length <= 20; length += 20) {
        char fill[600] = "";
        for (int k = 0; k < length; k++)
            sprintf(fill + strlen(fill), "add.u32 %%r8, %%r8, %d;", k);
        char *ptx = wb_format(
            "%s.shared .align 4 .b8 s[4096];\n%s mov.u32 %%r7, s; setp.gt.u32 %%p1, %%r1, 900;"
            "@%%p1 bra A; %s ld.global.u32 %%r2, [%%rd2+1024]; A: st.shared.u32 [%%r7], %%r2;"
            "@%%p1 bra B; %s ld.global.u32 %%r3, [%%rd2+2048]; B: st.shared.u32 [%%r7+4], %%r3;"
            "@%%p1 bra C; %s ld.global.u32 %%r4, [%%rd2+3072]; C: st.shared.u32 [%%r7+8], %%r4;"
            "st.global.u32 [%%rd1], %%r8; %s",
            HEAD, BEGIN, fill, fill, fill, END);
        double chain = traced(ptx, 1, 32).chain;
        assert_true(length ? chain > 3 * 520 : chain > 500 && chain < 1400);
        free(ptx);
    }
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

/* Neighbours in shared memory that lie as a wide access must are one for ptxas, over a store to
 * another memory too; not where a store to shared memory or another register comes between, nor
 * behind an address that may be odd. */
static void neighbours(void **state) {
    (void)state;
    static const struct {
        const char *base, *body;
        double slots, passes; /* of shared memory */
    } cases[] = {
        {"shl.b32 %r3, %r1, 4;",
         "ld.shared.f32 %f1, [%r2]; ld.shared.f32 %f2, [%r2+4]; st.global.u32 [%rd1], %r1; "
         "ld.shared.f32 %f3, [%r2+12]; ld.shared.f32 %f4, [%r2+8];",
         1, 4},
        {"shl.b32 %r3, %r1, 4;",
         "ld.shared.f32 %f1, [%r2+4]; ld.shared.f32 %f2, [%r2+8]; ld.shared.f32 %f3, [%r2+12];", 2,
         4 + 4},
        {"mul.lo.u32 %r3, %r1, 24;", "ld.shared.f32 %f1, [%r2+8]; ld.shared.f32 %f2, [%r2+12];", 1,
         2},
        {"shl.b32 %r3, %r1, 2;", "ld.shared.f32 %f1, [%r2]; ld.shared.f32 %f2, [%r2+4];", 2, 2},
        {"shl.b32 %r3, %r1, 4;",
         "st.shared.f32 [%r2+4], %f1; st.shared.f32 [%r2], %f2; st.shared.v2.f32 [%r2+8], {%f2, "
         "%f1};",
         1, 4},
        {"shl.b32 %r3, %r1, 4;",
         "ld.shared.f32 %f1, [%r2]; st.shared.f32 [%r2+8], %f1; ld.shared.f32 %f2, [%r2+4];", 3,
         12},
        {"shl.b32 %r3, %r1, 3;",
         "ld.shared.f32 %f1, [%r2]; add.u32 %r2, %r2, 8; ld.shared.f32 %f2, [%r2+4];", 2, 4},
        {"and.b32 %r3, %r1, 16;",
         "ld.shared.v2.f32 {%f1, %f3}, [%r2]; ld.shared.v2.f32 {%f2, %f4}, [%r2+8];", 1, 2},
        {"mov.u32 %r3, 32;", "ld.shared.f32 %f1, [%r2]; ld.shared.f32 %f2, [%r2+4];", 1, 1},
        {"shl.b32 %r3, %r1, 3;",
         "ld.volatile.shared.f32 %f1, [%r2]; ld.volatile.shared.f32 %f2, [%r2+4];", 2, 4},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *ptx = wb_format("%s.shared .align 4 .b8 s[4096];\n%s%s mov.u32 %%r4, s; "
                              "add.u32 %%r2, %%r4, %%r3; %s st.global.u32 [%%rd1], %%r1; %s",
                              HEAD, BEGIN, cases[i].base, cases[i].body, END);
        for (uint32_t blocks = 1; blocks <= 100; blocks += 99) {
            sg_traits t = traced(ptx, blocks, 32);
            double stores = 1 + (strstr(cases[i].body, "st.global") != NULL);
            if (t.pipes[SG_PIPE_MEMORY] != blocks * (cases[i].slots + stores) ||
                t.shared_wavefronts != blocks * cases[i].passes)
                fail_msg("%s: %g slots, %g passes", cases[i].body,
                         t.pipes[SG_PIPE_MEMORY] / blocks - stores, t.shared_wavefronts / blocks);
        }
        free(ptx);
    }
}

/* Counts atomic operations: at the busiest address, passes through the busiest queue, and in all. A
 * sector passes as often as lanes meet at one of its words, two queues serve a kilobyte. */
static void queues_of_atomics(void **state) {
    (void)state;
    static const struct {
        const char *offset; /* in %r3, of the lane %r1 */
        double address, queue, passes;
    } cases[] = {
        {"shl.b32 %r3, %r1, 2;", 1, 4, 4},                      /* 32 words side by side */
        {"and.b32 %r3, %r1, 7; shl.b32 %r3, %r3, 2;", 4, 4, 4}, /* 8 of a sector */
        {"and.b32 %r3, %r1, 1; shl.b32 %r3, %r3, 2;", 16, 16, 16},
        {"and.b32 %r3, %r1, 15; shl.b32 %r3, %r3, 5;", 2, 16, 32}, /* 16 sectors, two quarters */
        {"shl.b32 %r3, %r1, 5;", 1, 16, 32},                       /* of a kilobyte */
        {"mov.u32 %r3, 0;", 32, 1, 1},                             /* ptxas makes one of them */
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *ptx = wb_format("%s ld.param.u64 %%rd5, [out]; %s cvt.u64.u32 %%rd6, %%r3; "
                              "add.s64 %%rd5, %%rd5, %%rd6; red.global.add.u32 [%%rd5], 1; %s",
                              HEAD BEGIN, cases[i].offset, END);
        for (uint32_t blocks = 1; blocks <= 7; blocks += 6) {
            sg_traits t = traced(ptx, blocks, 32);
            assert_true(t.busiest_address == blocks * cases[i].address);
            assert_true(t.busiest_queue == blocks * cases[i].queue);
            assert_true(t.atomic_passes == blocks * cases[i].passes);
            assert_true(t.atomic_words == blocks * 32);
        }
        free(ptx);
    }
}

/* Old values go back where they are used, and of exchanges always; what L2 has not comes from
 * memory first. */
static void answers_of_atomics(void **state) {
    (void)state;
    static const struct {
        const char *op;
        bool answers;
    } cases[] = {
        {"red.global.add.u32 [%rd5], 1;", false},
        {"atom.global.add.u32 %r4, [%rd5], 1;", false},
        {"atom.global.add.u32 %r4, [%rd5], 1; st.global.u32 [%rd5+4], %r4;", true},
        {"atom.global.exch.b32 %r4, [%rd5], 1;", true},
        {"atom.global.cas.b32 %r4, [%rd5], 0, 1;", true},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *ptx = wb_format("%s ld.param.u64 %%rd5, [out]; shl.b32 %%r3, %%r1, 5; cvt.u64.u32 "
                              "%%rd6, %%r3; add.s64 %%rd5, %%rd5, %%rd6; %s %s",
                              HEAD BEGIN, cases[i].op, END);
        sg_traits t = traced(ptx, 3, 32);
        assert_true(t.atomic_passes == 3 * 32 && t.atomic_words == 3 * 32);
        assert_true(t.answered_passes == (cases[i].answers ? 3 * 32 : 0));
        assert_true(t.answered_words == t.answered_passes);
        assert_true(t.atomic_fills > 0 && t.atomic_fills <= t.dram_reads);
        free(ptx);
    }
}

/* Lanes that want other words of constant memory wait for each, and no cache is asked. */
static void constants(void **state) {
    (void)state;
    for (uint32_t words = 1; words <= 32; words *= 2) {
        char *ptx = wb_format("%s.const .align 4 .b8 c[256];\n%s and.b32 %%r3, %%r1, %u; "
                              "mul.wide.u32 %%rd5, %%r3, 4; mov.u64 %%rd6, c; add.s64 %%rd6, "
                              "%%rd6, %%rd5; ld.const.u32 %%r4, [%%rd6]; st.global.u32 [%%rd1], "
                              "%%r4; %s",
                              HEAD, BEGIN, words - 1, END);
        sg_traits t = traced(ptx, 3, 64);
        assert_true(t.constant_words == 6.0 * (words - 1));
        assert_true(t.l2_reads == 0 && t.dram_reads == 0);
        assert_true(t.chain > 40 + 4 * (words - 1));
        free(ptx);
    }
}

static void words_far_apart(void **state) {
    (void)state;
    sg_traits t = traced(HEAD BEGIN "mul.wide.u32 %rd4, %r1, 120; add.s64 %rd4, %rd2, %rd4; "
                                    "ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd1], %r2;" END,
                         1, 32);
    assert_true(t.l2_reads == 32);
    assert_true(t.dram_reads == 64);     /* two sectors come together */
    assert_in_range(t.l1_clocks, 8, 10); /* 32 lines, 4 a clock, all banks */
    assert_true(t.l1_requests == 1);     /* the store */
}

/* L2 joins the parts of a line that one request writes: words 12 bytes apart lie in 12 sectors of
 * three lines. */
static void parts_of_a_line(void **state) {
    (void)state;
    sg_traits t = traced(HEAD BEGIN "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd4, %rd1, %rd4; "
                                    "st.global.u32 [%rd4], %r1;" END,
                         1, 32);
    assert_true(t.l2_writes == 12 && t.l2_partial_writes == 3);
    t = traced(HEAD BEGIN "mul.wide.u32 %rd4, %r1, 124; add.s64 %rd4, %rd1, %rd4; "
                          "st.global.u32 [%rd4], %r1;" END,
               1, 32);
    assert_true(t.l2_writes == 32 && t.l2_partial_writes == 32);
}

/* Lanes that add 1 to the same word of shared memory are counted where nobody wants to know what
 * was there; else each waits for the one before it. */
static void adding_ones(void **state) {
    (void)state;
    static const struct {
        const char *atomic;
        uint32_t passes;
    } cases[] = {
        {"atom.shared.add.u32 %r3, [s], 1;", 1},
        {"atom.shared.add.s32 %r3, [s+4], 1;", 1},
        {"red.shared.add.u32 [s], 1;", 1},
        {"atom.shared.add.u32 %r3, [s], 2;", 32},
        {"atom.shared.add.u32 %r3, [s], %r1;", 32},
        {"atom.shared.max.u32 %r3, [s], 1;", 32},
        {"atom.shared.add.u32 %r3, [s], 1; add.u32 %r2, %r2, %r3;", 32},
        {"atom.shared.add.u32 %r3, [s], 1; @%p1 st.global.v2.u32 [%rd1], {%r2, %r3};", 32},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char *ptx = wb_format("%s.shared .align 4 .b8 s[4096];\n%s mov.u32 %%r2, 0; "
                              "setp.ne.u32 %%p1, %%r1, %%r1; %s st.global.u32 [%%rd1], %%r2; %s",
                              HEAD, BEGIN, cases[i].atomic, END);
        for (uint32_t blocks = 1; blocks <= 100; blocks += 99)
            if (traced(ptx, blocks, 32).shared_wavefronts != blocks * cases[i].passes)
                fail_msg("%s", cases[i].atomic);
        free(ptx);
    }
}

/* Instructions of a loop of 64 turns: ptxas counts and tests once for four of a short one, where it
 * may. */
static void turns_of_a_loop(void **state) {
    (void)state;
    static const struct {
        const char *pragma;
        int body;         /* sums */
        const char *step; /* of the turns */
        bool joined;
    } cases[] = {{"", 4, "1", true},
                 {"", 18, "1", true},
                 {".pragma \"nounroll\";", 4, "1", false},
                 {"", 19, "1", false},
                 {"", 4, "%r6", false}};
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        char ptx[4000];
        int n = snprintf(ptx, sizeof ptx, "%s mov.u32 %%r5, 0; mov.u32 %%r6, 1;\nL: %s\n",
                         HEAD BEGIN, cases[i].pragma);
        for (int k = 0; k < cases[i].body; k++)
            n += snprintf(ptx + n, sizeof ptx - (size_t)n, "add.f32 %%f1, %%f1, %%f2;\n");
        snprintf(ptx + n, sizeof ptx - (size_t)n,
                 "add.s32 %%r5, %%r5, %s; setp.lt.s32 %%p1, %%r5, 64; @%%p1 bra L;\n"
                 "st.global.f32 [%%rd1], %%f1; %s",
                 cases[i].step, END);
        double turn = (traced(ptx, 1, 32).issued) / 64;
        double expected = cases[i].body + (cases[i].joined ? 0.75 : 3);
        if (turn < expected || turn > expected + 0.2)
            fail_msg("%d sums and %s: %g instructions a turn", cases[i].body, cases[i].step, turn);
    }
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
    sg_launch a = {.options = SG_COUNT}, b = {.options = SG_COUNT | SG_TRACE, .gpu = &gpu};
    memset(out, 0, 4096);
    assert_int_equal(run(ptx, 77, 256, &a), 0);
    memcpy(plain, out, sizeof plain);
    for (int k = 0; k < 2; k++) {
        memset(out, 0, 4096);
        assert_int_equal(run(ptx, 77, 256, &b), 0);
        assert_memory_equal(plain, out, sizeof plain);
        assert_true(b.traits.shared_wavefronts == 77 * 8 * 2 && b.traits.l2_atomics == 77 * 32);
        assert_true(b.traits.busiest_address == 77 && b.traits.ran == 77);
        if (b.options & SG_COUNT) {
            assert_memory_equal(&a.counters, &b.counters, sizeof a.counters);
        } else { /* most blocks are not watched */
            assert_true(b.counters.shared_load_requests < a.counters.shared_load_requests);
            assert_int_equal(b.counters.warp_instructions, a.counters.warp_instructions);
            assert_int_equal(b.counters.longest_block, a.counters.longest_block);
            assert_int_equal(b.counters.blocks, 77);
        }
        b.options = SG_TRACE;
    }
}

/* Blocks may wait for each other where a loop asks again; what asks once does not wait, nor does
 * who asks for nothing back. */
static void who_may_wait(void **state) {
    (void)state;
    static const struct {
        const char *body;
        bool waits;
    } cases[] = {
        {"atom.global.inc.u32 %r2, [%rd1], 5; st.global.u32 [%rd1+4], %r2;", false},
        {"ld.volatile.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;", false},
        {"LOOP: atom.global.cas.b32 %r2, [%rd1], 0, 0; setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOP;",
         true},
        {"LOOP: ld.volatile.global.u32 %r2, [%rd1]; setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOP;", true},
        {"LOOP: add.u32 %r3, %r3, 1; ld.acquire.gpu.global.u32 %r2, [%rd1]; bra OVER; OVER: "
         "setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOP;",
         true},
        {"mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; red.global.add.u32 [%rd1+8], 1; setp.lt.u32 "
         "%p1, %r3, 3; @%p1 bra LOOP; atom.global.add.u32 %r2, [%rd1+12], 1;",
         false},
        {"mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; ld.volatile.global.u32 %r2, [%rd1]; "
         "add.u32 %r4, %r4, %r2; setp.lt.u32 %p1, %r3, 3; @%p1 bra LOOP; st.global.u32 [%rd1+8], "
         "%r4;",
         false},
        {"mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; ld.volatile.global.u32 %r2, [%rd1]; "
         "add.u32 %r4, %r4, %r2; setp.gt.u32 %p2, %r4, 9; setp.lt.or.u32 %p1, %r3, 3, %p2; @%p1 "
         "bra LOOP;",
         true},
        {".shared .align 4 .b8 s[8]; mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; "
         "ld.volatile.global.u32 %r2, [%rd1]; st.shared.u32 [s], %r2; ld.shared.u32 %r4, [s]; "
         "setp.ne.u32 %p1, %r4, 0; @%p1 bra LOOP;",
         true},
        {"setp.eq.u32 %p1, %r1, 7; @%p1 bra AWAY; atom.global.add.u32 %r2, [%rd1+12], 1; bra DONE; "
         "AWAY: LOOP: ld.global.u32 %r3, [%rd2]; setp.ne.u32 %p1, %r3, %r3; @%p1 bra LOOP; DONE: ",
         false},
    };
    for (size_t i = 0; i < WB_COUNT(cases); i++) {
        memset(out, 0, 4096);
        char *ptx = wb_format("%s%s%s", HEAD BEGIN, cases[i].body, END);
        if ((traced(ptx, 3, 32).last_end > 0) != cases[i].waits)
            fail_msg("%s", cases[i].body);
        free(ptx);
    }
}

/* A warp sleeps as long as its lanes want, each time. */
static void sleeping(void **state) {
    (void)state;
    double awake = 0;
    for (int how = 0; how < 3; how++) {
        static const char *const naps[] = {"", "nanosleep.u32 1000;", "nanosleep.u32 %r1;"};
        char *ptx = wb_format("%s mov.u32 %%r2, 0; LOOP: %s add.u32 %%r2, %%r2, 1; "
                              "setp.lt.u32 %%p1, %%r2, 10; @%%p1 bra LOOP; %s",
                              HEAD BEGIN, naps[how], END);
        double chain = traced(ptx, 1, 32).chain;
        double asleep = how ? 10 * 2 * (how == 1 ? 1000 : 31) : 0;
        awake = how ? awake : chain;
        assert_true(chain >= awake + asleep && chain < awake + asleep + 200);
        free(ptx);
    }
}

/* A seed chooses one block of each part of the grid; here none of them is in a sample, as their
 * addresses hang on what they read. */
static void a_seed_chooses(void **state) {
    (void)state;
    static const char ptx[] = HEAD BEGIN
        "ld.param.u64 %rd5, [in]; ld.global.u32 %r2, [%rd5]; and.b32 %r2, %r2, 4; "
        "cvt.u64.u32 %rd6, %r2; add.s64 %rd6, %rd2, %rd6; ld.global.u32 %r3, [%rd6];" END;
    static const uint32_t grids[] = {1, 2, 31, 32, 33, 65, 1000, 4097};
    for (uint64_t seed = 1; seed < 1ull << 60; seed = seed * 77 + 5)
        for (size_t i = 0; i < WB_COUNT(grids); i++) {
            sg_gpu seeded = gpu;
            seeded.seed = seed;
            sg_launch l = {.options = SG_TRACE, .gpu = &seeded};
            memset(out, 0, 4096);
            assert_int_equal(run(ptx, grids[i], 32, &l), 0);
            assert_int_equal(l.traits.traced, grids[i] < 32 ? grids[i] : 32);
        }
}

/* The code that takes most of the time counts the most: 100 turns of a loop, in several warps. */
static void how_often_code_repeats(void **state) {
    (void)state;
    static const char ptx[] = HEAD BEGIN "mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; "
                                         "setp.lt.u32 %p1, %r2, 100; @%p1 bra LOOP;" END;
    for (uint32_t blocks = 1; blocks <= 300; blocks += 299) {
        sg_traits t = traced(ptx, blocks, 96);
        assert_true(t.repeats > 90 && t.repeats <= 100);
    }
    sg_traits straight = traced(HEAD BEGIN "st.global.u32 [%rd1], %r1;" END, 3, 64);
    assert_true(fabs(straight.repeats - 1) < 1e-6);
}

/* One block of 100 turns in a loop, the others leave at once. */
static void one_does_all(void **state) {
    (void)state;
    for (uint32_t who = 0; who < 100; who += 37) {
        char *ptx =
            wb_format("%s mov.u32 %%r5, %%ctaid.x; setp.ne.u32 %%p1, %%r5, %u; @%%p1 bra OUT; "
                      "mov.u32 %%r2, 0; LOOP: add.u32 %%r2, %%r2, 1; "
                      "setp.lt.u32 %%p1, %%r2, 100000; @%%p1 bra LOOP; OUT: %s",
                      HEAD BEGIN, who, END);
        sg_traits t = traced(ptx, 100, 1024);
        assert_true(t.longest_share > 0.98 && t.longest_share <= 1);
        assert_true(t.longest_issue >= 300000 * 32 / 4);
        assert_true(who || t.longest_chain > 200000);
        free(ptx);
    }
    sg_traits even = traced(HEAD BEGIN "st.global.u32 [%rd1], %r1;" END, 100, 1024);
    assert_true(even.longest_share > 0.0099 && even.longest_share < 0.0101);
}

/* A load, a sum in shared memory, a loop, a store: each line with what it does, all of it together
 * what the launch does. */
static const char lines[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n.file 2 \"k.cuh\"\n"
    ".shared .align 4 .b8 s[4096];\n" BEGIN ".loc 1 3 0\nld.global.u32 %r3, [%rd2];\n"
    ".loc 1 4 0\nshl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5;\n"
    "st.shared.u32 [%r4], %r3;\n.loc 1 5 0\nbar.sync 0;\n.loc 2 9 0\n"
    "mov.u32 %r2, 0; LOOP: add.u32 %r3, %r3, %r2; mul.lo.u32 %r3, %r3, 3; add.u32 %r2, %r2, 1; "
    "setp.lt.u32 %p1, %r2, %r20; @%p1 bra LOOP;\n"
    ".loc 1 7 0\nst.global.u32 [%rd1], %r3;\n" END;

static char *with_turns(uint32_t turns) {
    const char *at = strstr(lines, "%r20");
    return wb_format("%.*s%u%s", (int)(at - lines), lines, turns, at + strlen("%r20"));
}

static const sg_line_traits *line_of(const sg_launch *l, uint32_t line) {
    for (uint32_t k = 0; k < l->n_shares; k++)
        if (l->shares[k].line == line)
            return &l->shares[k];
    fail_msg("nothing of line %u", line);
    return NULL;
}

static void near(double a, double b) {
    if (fabs(a - b) > 1e-6 * fabs(b) + 1e-9)
        fail_msg("%g is not %g", a, b);
}

static void shares_of_lines(void **state) {
    (void)state;
    for (uint32_t blocks = 1; blocks <= 1000; blocks += 333)
        for (uint32_t turns = 1; turns <= 101; turns += 100) {
            char *ptx = with_turns(turns);
            sg_launch l = {.options = SG_TRACE | SG_SHARES, .gpu = &gpu};
            sg_traits sum = {.blocks = 0};
            if (run(ptx, blocks, 128, &l))
                fail_msg("%s%s", l.fault.text, refusal);
            for (uint32_t k = 0; k < l.n_shares; k++) {
                const sg_line_traits *one = &l.shares[k];
                double waits = 0;
                for (int w = 0; w < SG_WAITS; w++)
                    waits += one->waits[w];
                near(waits, one->part.chain);
                sum.l1_clocks += one->part.l1_clocks;
                sum.l1_requests += one->part.l1_requests;
                sum.dram_reads += one->part.dram_reads;
                sum.chain += one->part.chain;
                assert_true(one->elsewhere == (one->line == 9));
            }
            near(sum.l1_clocks, l.traits.l1_clocks);
            near(sum.l1_requests, l.traits.l1_requests);
            near(sum.dram_reads, l.traits.dram_reads);
            assert_true(sum.chain > 0.9 * l.traits.chain &&
                        sum.chain <= l.traits.chain * (1 + 1e-9));
            near(line_of(&l, 3)->part.l2_reads, l.traits.l2_reads);
            near(line_of(&l, 3)->part.dram_reads, l.traits.dram_reads);
            near(line_of(&l, 4)->part.shared_wavefronts, l.traits.shared_wavefronts);
            near(line_of(&l, 7)->part.l2_writes, l.traits.l2_writes);
            near(line_of(&l, 7)->part.dirty, l.traits.dirty);
            near(line_of(&l, 9)->part.pipes[SG_PIPE_IMAD], 4.0 * blocks * turns);
            assert_true(line_of(&l, 3)->waits[SG_WAIT_LOAD] > 300);
            assert_true(line_of(&l, 5)->waits[SG_WAIT_BARRIER] >= 50);
            assert_true(turns == 1 || line_of(&l, 9)->waits[SG_WAIT_ARITHMETIC] > 4 * 100);
            free(l.shares);
            free(ptx);
        }
    sg_launch none = {.options = SG_TRACE, .gpu = &gpu};
    char *ptx = with_turns(1);
    assert_int_equal(run(ptx, 70, 128, &none), 0);
    assert_true(none.shares == NULL && none.n_shares == 0);
    free(ptx);
}

/* A warp that comes late to a barrier keeps the others: the time is that of what it does. */
static void late_at_a_barrier(void **state) {
    (void)state;
    static const char ptx[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n" BEGIN
        ".loc 1 2 0\nsetp.ge.u32 %p2, %r1, 32; mov.u32 %r2, 0; @%p2 bra MEET;\n"
        ".loc 1 3 0\nLOOP: add.u32 %r3, %r3, %r2; xor.b32 %r3, %r3, 5; add.u32 %r2, %r2, 1; "
        "setp.lt.u32 %p1, %r2, 1000; @%p1 bra LOOP;\n"
        ".loc 1 4 0\nMEET: bar.sync 0;\n.loc 1 5 0\nst.global.u32 [%rd1], %r3;" END;
    sg_launch l = {.options = SG_TRACE | SG_SHARES, .gpu = &gpu};
    assert_int_equal(run(ptx, 2, 1024, &l), 0);
    assert_true(line_of(&l, 3)->part.chain > 0.5 * l.traits.chain);
    assert_true(line_of(&l, 3)->part.chain > 2 * line_of(&l, 4)->part.chain);
    free(l.shares);
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
        cmocka_unit_test(lines_are_not_equally_far),
        cmocka_unit_test(blocks_share_l2),
        cmocka_unit_test(blocks_share_l1),
        cmocka_unit_test(a_chain),
        cmocka_unit_test(sums),
        cmocka_unit_test(routines),
        cmocka_unit_test(chains_of_routines),
        cmocka_unit_test(short_branches),
        cmocka_unit_test(barriers),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(queues_of_atomics),
        cmocka_unit_test(answers_of_atomics),
        cmocka_unit_test(constants),
        cmocka_unit_test(words_far_apart),
        cmocka_unit_test(parts_of_a_line),
        cmocka_unit_test(adding_ones),
        cmocka_unit_test(turns_of_a_loop),
        cmocka_unit_test(nothing_else_changes),
        cmocka_unit_test(who_may_wait),
        cmocka_unit_test(sleeping),
        cmocka_unit_test(a_seed_chooses),
        cmocka_unit_test(how_often_code_repeats),
        cmocka_unit_test(one_does_all),
        cmocka_unit_test(shares_of_lines),
        cmocka_unit_test(late_at_a_barrier),
        cmocka_unit_test(a_fault_ends_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
