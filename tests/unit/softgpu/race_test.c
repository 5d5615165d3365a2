/* The race check's shadow: what of two accesses is remembered, what puts them in order, and what
 * happens without memory for it. Programs with their messages are in tests/softgpu/cases/races. */
#include "tests/unit/softgpu/engine_kit.h"

/* Kernels over two arrays: %r1 the thread, %r2 the block, %rd1 and %rd2 this thread's words of out
 * and in, %rd4 and %rd5 the arrays themselves. */
#define BODY(text)                                                                                 \
    HEAD ".shared .align 8 .b8 s[64];\n" BEGIN                                                     \
         "ld.param.u64 %rd4, [out]; ld.param.u64 %rd5, [in]; mov.u32 %r2, %ctaid.x;\n" text END
#define ONLY(thread, block, text)                                                                  \
    "{ .reg .pred %q<3>; setp.ne.u32 %q1, %r1, " thread "; setp.ne.u32 %q2, %r2, " block           \
    "; or.pred %q1, %q1, %q2; @%q1 bra L; " text " L: }\n"

static int checked(const char *ptx, uint32_t grid, uint32_t block, sg_launch *l) {
    *l = (sg_launch){.options = SG_RACECHECK};
    return run(ptx, grid, block, l);
}

typedef struct example {
    const char *what, *ptx;
    uint32_t grid, block;
    const char *words; /* of the fault; NULL: there is none */
} example;

static void check_examples(const example *e, size_t n) {
    for (size_t k = 0; k < n; k++, e++) {
        sg_launch l;
        memset(out, 0, 4096);
        int code = checked(e->ptx, e->grid, e->block, &l);
        if (e->words ? code != 719 || !strstr(l.fault.text, e->words) : code != 0)
            fail_msg("%s: %d: %s%s", e->what, code, l.fault.text, refusal);
    }
}

static void test_sizes(void **state) {
    (void)state;
    static const example examples[] = {
        {"a word, then its neighbours' bytes",
         BODY(ONLY("0", "0", "st.global.u32 [%rd4], 1;") ONLY(
             "32", "0", "st.global.u8 [%rd4+4], 1;") ONLY("64", "0", "st.global.u8 [%rd4+5], 1;")),
         1, 96, NULL},
        {"a word, then one of its bytes",
         BODY(ONLY("0", "0", "st.global.u32 [%rd4], 1;")
                  ONLY("32", "0", "st.global.u8 [%rd4+3], 1;")),
         1, 64, "write of thread (0, 0, 0)"},
        {"a byte, then a vector over it",
         BODY(ONLY("0", "0", "st.global.u8 [%rd4+14], 1;")
                  ONLY("32", "0", "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd4];")),
         1, 64, "this read of global memory (byte 0 of"},
        {"halves of a word, then a byte of the other half",
         BODY(ONLY("0", "0", "st.global.u16 [%rd4], 1;") ONLY(
             "32", "0", "st.global.u16 [%rd4+2], 1;") ONLY("64", "0", "st.global.u8 [%rd4+1], 1;")),
         1, 96, "write of thread (0, 0, 0)"},
        {"bytes of shared memory",
         BODY("mov.u32 %r3, s; shr.u32 %r4, %r1, 5; add.u32 %r3, %r3, "
              "%r4; st.shared.u8 [%r3], %r1;"
              "bar.warp.sync 0xffffffff;"),
         2, 128, "lanes of a warp"},
        {"bytes of shared memory, one a warp",
         BODY("mov.u32 %r3, s; shr.u32 %r4, %r1, 5; add.u32 %r3, %r3, %r4; st.shared.u8 [%r3], "
              "%r4;"),
         2, 128, NULL}};
    check_examples(examples, sizeof examples / sizeof *examples);
}

static void test_readers(void **state) {
    (void)state;
    static const example examples[] = {
        {"the first reader is remembered beside the last",
         BODY(ONLY("0", "0", "ld.global.u32 %r3, [%rd4];") ONLY(
             "32", "0", "ld.global.u32 %r3, [%rd4];") ONLY("32", "0", "st.global.u32 [%rd4], 1;")),
         1, 64, "read of thread (0, 0, 0)"},
        {"a reader of another block is kept beside two of one block",
         BODY("setp.eq.u32 %p1, %r2, 2; @%p1 bra W; ld.global.u32 %r3, [%rd4];\n"
              "W: setp.ne.u32 %p1, %r2, 2; @%p1 bra E; st.global.u32 [%rd4], 1;\nE: "),
         3, 64, "of block (0, 0, 0)"},
        {"a warp has read and written; the next one reads",
         BODY("ld.global.u32 %r3, [%rd4]; st.global.u32 [%rd1], %r3;"), 1, 64,
         "write of thread (0, 0, 0)"},
        {"a barrier, then one writes",
         BODY("ld.global.u32 %r3, [%rd4]; bar.sync 0;" ONLY("40", "0", "st.global.u32 [%rd4], 1;")),
         1, 96, NULL},
        {"lanes of a warp that run converged",
         BODY("ld.global.u32 %r3, [%rd4];" ONLY("7", "0", "st.global.u32 [%rd4], 1;")), 1, 32,
         NULL}};
    check_examples(examples, sizeof examples / sizeof *examples);
}

/* Block 0 writes and tells, block 1 looks and reads. */
#define TELLS(tell) ONLY("0", "0", "st.global.u32 [%rd4], 1; " tell)
#define READS(look) ONLY("0", "1", look " ld.global.u32 %r3, [%rd4];")

static void test_order_between_blocks(void **state) {
    (void)state;
    static const example examples[] = {
        {"nothing", BODY(TELLS("") READS("")), 2, 32, "another launch"},
        {"fence and atomic",
         BODY(TELLS("membar.gl; red.global.add.u32 [%rd4+8], 1;")
                  READS("atom.global.add.u32 %r4, [%rd4+8], 0;")),
         2, 32, NULL},
        {"a fence after which the data are written",
         BODY(ONLY("0", "0", "membar.gl; st.global.u32 [%rd4], 1; red.global.add.u32 [%rd4+8], 1;")
                  READS("atom.global.add.u32 %r4, [%rd4+8], 0;")),
         2, 32, "__threadfence()"},
        {"an atomic without a fence",
         BODY(TELLS("red.global.add.u32 [%rd4+8], 1;")
                  READS("atom.global.add.u32 %r4, [%rd4+8], 0;")),
         2, 32, "__threadfence()"},
        {"a fence that nobody looks for", BODY(TELLS("membar.gl;") READS("")), 2, 32,
         "another launch"},
        {"a fence for the own block alone",
         BODY(TELLS("membar.cta; red.global.add.u32 [%rd4+8], 1;")
                  READS("atom.global.add.u32 %r4, [%rd4+8], 0;")),
         2, 32, "__threadfence()"},
        {"release and acquire",
         BODY(TELLS("st.release.gpu.global.u32 [%rd4+8], 1;")
                  READS("ld.acquire.gpu.global.u32 %r4, [%rd4+8];")),
         2, 32, NULL},
        {"an atomic that releases",
         BODY(TELLS("atom.add.release.gpu.global.u32 %r5, [%rd4+8], 1;")
                  READS("ld.volatile.global.u32 %r4, [%rd4+8];")),
         2, 32, NULL},
        {"warps of a block",
         BODY(TELLS("membar.cta; st.volatile.global.u32 [%rd4+8], 1;") ONLY(
             "32", "0", "ld.volatile.global.u32 %r4, [%rd4+8]; ld.global.u32 %r3, [%rd4];")),
         1, 64, NULL},
        {"strong accesses",
         BODY("st.volatile.global.u32 [%rd4], %r1; "
              "ld.relaxed.gpu.global.u32 %r3, [%rd4]; "
              "atom.global.max.u32 %r3, [%rd4], %r1;"),
         4, 64, NULL},
        {"a strong write and a plain read",
         BODY(ONLY("0", "0", "st.relaxed.gpu.global.u32 [%rd4], 1;") READS("")), 2, 32,
         "this read of"}};
    check_examples(examples, sizeof examples / sizeof *examples);
}

/* Thread 0 fetches 16 bytes for the block, which waits at an mbarrier (at s; the data at s + 16).
 */
#define FETCH                                                                                      \
    "mov.u32 %r3, s; add.u32 %r4, %r3, 16;\n" ONLY(                                                \
        "0", "0",                                                                                  \
        "mbarrier.init.shared.b64 [%r3], 1;") "bar.sync 0;\n" ONLY("0", "0",                       \
                                                                   "mbarrier.arrive.expect_tx."    \
                                                                   "shared.b64 _, [%r3], 16;\n"    \
                                                                   "cp.async.bulk.shared::"        \
                                                                   "cluster.global.mbarrier::"     \
                                                                   "complete_tx::bytes [%r4], "    \
                                                                   "[%rd5], 16, "                  \
                                                                   "[%r3];")
#define WAIT "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra W;\n"

static void test_asynchronous_copies(void **state) {
    (void)state;
    static const example examples[] = {
        {"waited for", BODY(FETCH WAIT "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd1], %r5;"), 1,
         96, NULL},
        {"not waited for", BODY(FETCH "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd1], %r5;"), 1,
         96, "shared memory (byte 16)"},
        {"overwritten in global memory", BODY(FETCH ONLY("40", "0", "st.global.u32 [%rd5], 1;")), 1,
         96, "global memory (byte 0 of a 4096-byte allocation in)"}};
    check_examples(examples, sizeof examples / sizeof *examples);
}

static void test_same_report_each_time(void **state) {
    (void)state;
    sg_launch first, again;
    setenv("WARPBOOK_SOFTGPU_THREADS", "4", 1);
    const char *ptx = BODY("ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd1], %r3;");
    assert_int_equal(checked(ptx, 5000, 64, &first), 719);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(checked(ptx, 5000, 64, &again), 719);
        assert_string_equal(first.fault.text, again.fault.text);
    }
    unsetenv("WARPBOOK_SOFTGPU_THREADS");
    assert_non_null(strstr(first.fault.text, "block (1, 0, 0), thread (0, 0, 0)"));
    assert_int_equal(first.fault.block[0], 1);
}

/* Not found out of bounds: that is the access's own fault, with its own words. */
/* Each block once adds 1 to its word; its second warp reads what the first has written, where the
 * test does not set %q. */
#define SOME_BLOCKS 1000
#define RACES_WHERE(test)                                                                          \
    BODY("mul.wide.u32 %rd6, %r2, 4; add.s64 %rd6, %rd4, %rd6;" ONLY(                              \
        "0", "%r2", "red.global.add.u32 [%rd6], 1;") "{ .reg .pred %q; " test                      \
                                                     " @%q bra D; setp.ge.u32 %p1, %r1, 32; @%p1 " \
                                                     "bra R; st.shared.u32 [s], 7; bra D;\n"       \
                                                     "R: ld.shared.u32 %r3, [s];\nD: }")

static int check_some(const char *ptx, uint64_t seed, sg_launch *l) {
    memset(out, 0, 4096);
    *l = (sg_launch){.options = SG_RACECHECK | SG_SOME, .seed = seed};
    int code = run(ptx, SOME_BLOCKS, 64, l);
    for (uint32_t k = 0; !code && k < SOME_BLOCKS; k++)
        assert_int_equal(((uint32_t *)out)[k], 1);
    return code;
}

static void test_some_blocks(void **state) {
    (void)state;
    sg_launch l;
    int found = 0;
    for (uint64_t seed = 0; seed < 300; seed++)
        found += check_some(RACES_WHERE("setp.ne.u32 %q, %r2, 500;"), seed, &l) == 719;
    assert_in_range(found, 2, 40); /* 4 % of them on average */
    assert_int_equal(check_some(RACES_WHERE("setp.ne.u32 %q, %r2, 0;"), 1, &l), 719);
    assert_int_equal(check_some(RACES_WHERE("setp.ne.u32 %q, %r2, 999;"), 1, &l), 719);
    assert_int_equal(
        check_some(RACES_WHERE("and.b32 %r3, %r2, 15; setp.ne.u32 %q, %r3, 7;"), 1, &l), 719);
    assert_string_equal(sg_fault_kind_name(l.fault.kind), "race");
    assert_int_equal(check_some(RACES_WHERE("setp.ne.u32 %q, %r2, 1000;"), 1, &l), 0);
    assert_int_equal(check_some(BODY("ld.shared.u32 %r3, [s];"), 1, &l), 700);
    assert_string_equal(sg_fault_kind_name(l.fault.kind), "uninitialised-read");
}

static void test_addresses_nobody_has(void **state) {
    (void)state;
    fails(BODY("mov.u64 %rd6, 0; st.global.u32 [%rd6], %r1;"), 32, SG_RACECHECK, 700,
          "out-of-bounds write", "null");
    fails(BODY("st.global.u32 [%rd4+4096], %r1;"), 32, SG_RACECHECK, 700, "out-of-bounds write",
          "past the end");
    fails(BODY("st.shared.u32 [s+64], %r1;"), 32, SG_RACECHECK, 700, "out-of-bounds write",
          "64 bytes of shared memory");
}

/* The launch goes on, right as ever, and stderr has one line about it. */
static void run_without_memory(const char *limit) {
    static const char racy[] =
        BODY("ld.global.u32 %r3, [%rd2]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;");
    char text[600] = "";
    FILE *file = tmpfile();
    int saved = dup(2);
    sg_launch l;
    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), 2);
    setenv("WARPBOOK_SOFTGPU_SHADOW", limit, 1);
    int code = checked(racy, 3, 64, &l), twice = checked(racy, 3, 64, &l);
    unsetenv("WARPBOOK_SOFTGPU_SHADOW");
    fflush(stderr);
    dup2(saved, 2);
    ssize_t n = pread(fileno(file), text, sizeof text - 1, 0);
    fclose(file);
    close(saved);
    assert_int_equal(code, 0);
    assert_int_equal(twice, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], in[i] + 1);
    assert_true(n > 0);
    const char *line = strstr(text, "not enough memory to check");
    assert_non_null(line);
    assert_null(strstr(line + 1, "not enough memory to check"));
}

/* In a child each, since the line is told once a process. */
static void test_without_memory(void **state) {
    (void)state;
    static const char *const limits[] = {"0", "530000", "560000"}; /* none; intervals; pages */
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            run_without_memory(limits[k]);
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
}

int main(int argc, char **argv) {
    (void)argc;
    self = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_readers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order_between_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_asynchronous_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_report_each_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_some_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_addresses_nobody_has, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_memory, setup, teardown),
        cmocka_unit_test(test_other_instruction_sets)};
    return run_group("race", tests, sizeof tests / sizeof tests[0]);
}
