/* sample_test.c: what follows of a grid from some of its blocks, beside what all of them touch. */
#include <math.h>
#include <time.h>

#include "runtime/base/base.h"
#include "tests/unit/softgpu/engine_kit.h"

#define WORDS (1u << 17) /* that are read: so few that each line is followed in L2 */

static const sg_gpu gpu = {.latency = {[SG_LATENCY_L1] = 40,
                                       [SG_LATENCY_L2] = 300,
                                       [SG_LATENCY_DRAM] = 700,
                                       [SG_LATENCY_ATOMIC] = 400},
                           .l1_bytes = 1 << 16,
                           .l2_bytes = 1 << 24,
                           .l1_lines_per_clock = 4,
                           .l2_sectors_per_clock = 2,
                           .resident = 96};

/* Thread t of block (x, y, z) reads word x*A + y*B + z*C + t*T of the memory, and writes it at its
 * thread's place of `out`. */
static const char reads[] =
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n"
         "{ .reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
         "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [in]; mov.u32 %%r1, %%tid.x;\n"
         "mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y; mov.u32 %%r4, %%ctaid.z;\n"
         "mul.lo.u32 %%r5, %%r2, %u; mad.lo.u32 %%r5, %%r3, %u, %%r5;\n"
         "mad.lo.u32 %%r5, %%r4, %u, %%r5; mad.lo.u32 %%r5, %%r1, %u, %%r5;\n"
         "mul.wide.u32 %%rd3, %%r5, 4; add.s64 %%rd4, %%rd2, %%rd3; ld.global.u32 %%r6, [%%rd4];\n"
         "mul.wide.u32 %%rd5, %%r1, 4; add.s64 %%rd6, %%rd1, %%rd5;\n"
         "%s st.global.u32 [%%rd6], %%r6; ret; }\n";

static uint32_t *memory, state_of_chance;

static uint32_t draw(uint32_t from, uint32_t to) {
    state_of_chance = state_of_chance * 1664525u + 1013904223u;
    return from + (uint32_t)((uint64_t)(state_of_chance) * (to - from + 1) >> 32);
}

static int run_at(const char *ptx, const uint32_t grid[3], uint32_t block, sg_launch *l) {
    sg_error err = {0};
    sg_module *m = load(ptx);
    const void *params[2] = {out, memory};
    memcpy(l->grid, grid, sizeof l->grid);
    l->block[0] = block;
    l->block[1] = l->block[2] = 1;
    l->kernel = sg_module_kernel(m, "k", &err);
    l->params = params;
    int code = sg_launch_run(l, &err);
    sg_module_unload(m);
    return code;
}

/* Pairs of sectors that all blocks touch, and sectors, those of each block by themselves. */
static void touched(const uint32_t grid[3], uint32_t block, const uint32_t step[4], uint64_t *pairs,
                    uint64_t *sectors) {
    static uint8_t seen[WORDS / 16], own[WORDS / 8];
    uint64_t base = (uintptr_t)memory / 4 % 16;
    memset(seen, 0, sizeof seen);
    *pairs = *sectors = 0;
    for (uint32_t b = 0; b < grid[0] * grid[1] * grid[2]; b++) {
        memset(own, 0, sizeof own);
        uint64_t at = base + b % grid[0] * step[0] + b / grid[0] % grid[1] * step[1] +
                      b / grid[0] / grid[1] * step[2];
        for (uint32_t t = 0; t < block; t++, at += step[3]) {
            *sectors += !own[at / 8];
            own[at / 8] = 1;
            *pairs += !seen[at / 16];
            seen[at / 16] = 1;
        }
    }
}

static bool near(double a, double b, double share) {
    return a >= b * (1 - share) - 4 && a <= b * (1 + share) + 4;
}

/* A block that does not move by whole pairs of sectors may touch one more or less than another. */
static double off_by(uint32_t block, const uint32_t step[4]) {
    if (step[0] % 16 == 0 && step[1] % 16 == 0 && step[2] % 16 == 0)
        return 0.02;
    return fmax(0.15, 16.0 / (block * step[3]));
}

static void a_sample_tells_of_all(void **state) {
    (void)state;
    int doubted = 0; /* by the odd sector: then all blocks run */
    for (int k = 0; k < 20; k++) {
        uint32_t seed = state_of_chance, grid[3] = {draw(1, 40), draw(1, 12), draw(1, 5)};
        uint32_t block = draw(32, 256),
                 step[4] = {draw(0, 300), draw(0, 3000), draw(0, 9000), draw(1, 9)};
        for (int d = 0; d < 3 && k % 2; d++)
            step[d] &= ~15u;
        uint64_t pairs, sectors, blocks = grid[0] * grid[1] * grid[2];
        char ptx[4000];
        sprintf(ptx, reads, step[0], step[1], step[2], step[3], "");
        sg_launch l = {.options = SG_TRACE | SG_SAMPLE, .gpu = &gpu, .patience = 60};
        assert_int_equal(run_at(ptx, grid, block, &l), 0);
        touched(grid, block, step, &pairs, &sectors);
        double writes = 2 * ((block + 15) / 16) + 4, far = off_by(block, step);
        double off = l.traits.ran == blocks ? 0 : far; /* L2's lines are all followed */
        doubted += blocks >= 64 && l.traits.ran == blocks;
        if ((blocks < 64 && l.traits.ran < blocks) ||
            !near(l.traits.l2_reads, (double)sectors, far) ||
            l.traits.dram_reads < 2 * (1 - off) * (double)pairs - writes ||
            l.traits.dram_reads > 2 * (1 + off) * (double)pairs + writes)
            fail_msg("seed %u: grid %u x %u x %u of %u, steps %u %u %u %u: ran %lu, read %.0f "
                     "sectors of L2 (%lu), %.0f of memory (%lu)",
                     seed, grid[0], grid[1], grid[2], block, step[0], step[1], step[2], step[3],
                     l.traits.ran, l.traits.l2_reads, sectors, l.traits.dram_reads, 2 * pairs);
    }
    assert_in_range(doubted, 0, 2);
}

/* A line's share of a stride repeats every few lines, and so may those that are followed in L2: of
 * a prime number one. Steps whose pattern has that period, at addresses of all kinds. */
static void stride_of(uint32_t period) {
    uint32_t grid[3] = {9000 + draw(0, 3000), 1, 1}, block = 128, offset = draw(0, 20) * 32;
    uint32_t step = 8 * period * draw(1, 2), *others = memory;
    uint32_t *many =
        sg_mem_alloc(4 * (size_t)grid[0] * block * step + 4096, SG_MEM_DEVICE, "memory", NULL);
    char ptx[4000];
    assert_non_null(many);
    memory = many + offset;
    sprintf(ptx, reads, block * step, 0, 0, step, "");
    sg_launch l = {.options = SG_TRACE | SG_SAMPLE, .gpu = &gpu, .patience = 60};
    int code = run_at(ptx, grid, block, &l);
    memory = others;
    sg_mem_free(many);
    assert_int_equal(code, 0);
    assert_in_range(l.traits.ran, 1, 600);
    double pairs = (double)grid[0] * block; /* of sectors: each thread has its own */
    if (!near(l.traits.dram_reads, 2 * pairs, 0.03))
        fail_msg("%u blocks, step %u, offset %u: %.0f of memory, not %.0f", grid[0], step, offset,
                 l.traits.dram_reads, 2 * pairs);
}

static void a_stride_is_not_followed_in_step(void **state) {
    (void)state;
    static const uint32_t periods[] = {3, 5, 7, 11, 13};
    for (size_t k = 0; k < WB_COUNT(periods); k++)
        stride_of(periods[k]);
}

/* The time of all blocks that run is that of the sample; their results are all there. */
static void all_may_run(void **state) {
    (void)state;
    uint32_t grid[3] = {50, 20, 1};
    char ptx[4000];
    sprintf(ptx, reads, 64, 3200, 0, 1, "red.global.add.u32 [%rd6], 1; ret;");
    sg_launch whole = {.options = SG_TRACE, .gpu = &gpu}, part = whole;
    part.options |= SG_SAMPLE;
    memset(out, 0, 4096);
    assert_int_equal(run_at(ptx, grid, 64, &whole), 0);
    assert_true(whole.traits.ran == 1000 && out[0] == 1000 && out[63] == 1000);
    assert_true(whole.counters.blocks == 1000);
    assert_int_equal(run_at(ptx, grid, 64, &part), 0);
    assert_in_range(part.traits.ran, 5, 600);
    assert_true(near(part.traits.issued, whole.traits.issued, 1e-6));
    assert_true(near(part.traits.chain, whole.traits.chain, 1e-6));
    assert_true(near(part.traits.l2_reads, whole.traits.l2_reads, 1e-6));
    assert_true(near(part.traits.dram_reads, whole.traits.dram_reads, 0.02));
    assert_true(whole.traits.busiest_address == 1000);
    assert_true(near(part.traits.busiest_address, 1000, 0.01));
}

/* Each thread of a block of 16 x 16 reads the words above, below and beside its own of a matrix of
 * grid x 16 words, clamped at the border (`clamped`), or not at all beyond it. */
static const char halo[] =
    HEAD ".visible .entry k(.param .u64 out, .param .u64 in)\n"
         "{ .reg .pred %%p<4>; .reg .b32 %%r<30>; .reg .b64 %%rd<20>;\n"
         "ld.param.u64 %%rd2, [in]; mov.u32 %%r1, %%tid.x; and.b32 %%r2, %%r1, 15;\n"
         "shr.u32 %%r3, %%r1, 4; mov.u32 %%r4, %%ctaid.x; mov.u32 %%r5, %%ctaid.y;\n"
         "mad.lo.u32 %%r6, %%r4, 16, %%r2; mad.lo.u32 %%r7, %%r5, 16, %%r3;\n"
         "mov.u32 %%r10, -%u; L: mov.u32 %%r11, -%u;\n"
         "M: add.s32 %%r12, %%r7, %%r10; add.s32 %%r13, %%r6, %%r11;\n"
         "max.s32 %%r14, %%r12, 0; min.s32 %%r14, %%r14, %u; max.s32 %%r15, %%r13, 0;\n"
         "min.s32 %%r15, %%r15, %u; xor.b32 %%r16, %%r14, %%r12; xor.b32 %%r17, %%r15, %%r13;\n"
         "or.b32 %%r16, %%r16, %%r17; setp.ne.u32 %%p1, %%r16, 0;\n"
         "mad.lo.u32 %%r18, %%r14, %u, %%r15; mul.wide.u32 %%rd3, %%r18, 4;\n"
         "add.s64 %%rd4, %%rd2, %%rd3; %s ld.global.u32 %%r19, [%%rd4];\n"
         "add.s32 %%r11, %%r11, 1; setp.le.s32 %%p2, %%r11, %u; @%%p2 bra M;\n"
         "add.s32 %%r10, %%r10, 1; setp.le.s32 %%p2, %%r10, %u; @%%p2 bra L; ret; }\n";

/* The blocks at the borders are as many as they are, and none runs for the sake of them. */
static void a_halo_ends_at_the_border(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        uint32_t seed = state_of_chance, grid[3] = {draw(8, 22), draw(8, 22), 1};
        uint32_t radius = draw(1, 5), rows = 16 * grid[1], cols = 16 * grid[0];
        char ptx[4000];
        sprintf(ptx, halo, radius, radius, rows - 1, cols - 1, cols, k % 2 ? "" : "@!%p1", radius,
                radius);
        sg_launch whole = {.options = SG_TRACE | SG_COUNT, .gpu = &gpu}, part = whole;
        part.options = SG_TRACE | SG_SAMPLE;
        assert_int_equal(run_at(ptx, grid, 256, &whole), 0);
        assert_int_equal(run_at(ptx, grid, 256, &part), 0);
        double words = 4.0 / 32 * rows * cols;
        if (part.traits.ran >= whole.traits.ran ||
            !near(part.traits.issued, whole.traits.issued, 0.01) ||
            !near(part.traits.l2_reads, whole.traits.l2_reads, 0.02) ||
            !near(part.traits.dram_reads, words, 0.1))
            fail_msg("seed %u: grid %u x %u, radius %u: ran %lu, issued %.0f of %.0f, read %.0f of "
                     "%.0f sectors of L2, %.0f of memory (%.0f)",
                     seed, grid[0], grid[1], radius, part.traits.ran, part.traits.issued,
                     whole.traits.issued, part.traits.l2_reads, whole.traits.l2_reads,
                     part.traits.dram_reads, words);
    }
}

/* A block that the sample lacks does most of the work: told by the instructions of all. */
static void who_does_more_is_seen(void **state) {
    (void)state;
    char ptx[4000];
    sprintf(ptx, reads, 64, 0, 0, 1,
            "setp.ne.u32 %p1, %r2, 137; @%p1 bra E; mov.u32 %r7, 0;"
            "L: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 9000; @%p1 bra L; E:");
    sg_launch l = {.options = SG_TRACE, .gpu = &gpu};
    assert_int_equal(run_at(ptx, (uint32_t[3]){300, 1, 1}, 64, &l), 0);
    assert_true(l.traits.traced < 30 && l.traits.ran == 300);
    assert_true(l.traits.issued > 40000 && l.traits.longest_share > 0.7);
}

/* One block of n works, at a place that the sample may lack: 64 loads a thread, a line for each
 * warp. The trace says that it does not know, or all of the traffic; also beside a chain of
 * instructions in the last block, and where the accesses have a predicate and no branch. */
static void hidden_workers_are_seen(void **state) {
    (void)state;
    static const char *const works[] = {
        "setp.ne.u32 %%p1, %%r9, %u; @%%p1 ret; mov.u32 %%r10, 0; L: ld.global.u32 %%r6, [%%rd4];"
        "add.s64 %%rd4, %%rd4, 128; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, 64;"
        "@%%p2 bra L;",
        "setp.ne.u32 %%p3, %%r2, 1023; @%%p3 bra N; mov.u32 %%r10, 0; M: add.u32 %%r10, %%r10, 1;"
        "setp.lt.u32 %%p2, %%r10, 5000; @%%p2 bra M; N: setp.ne.u32 %%p1, %%r9, %u; @%%p1 ret;"
        "mov.u32 %%r10, 0; L: ld.global.u32 %%r6, [%%rd4]; add.s64 %%rd4, %%rd4, 128;"
        "add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, 64; @%%p2 bra L;",
        "setp.eq.u32 %%p1, %%r9, %u; mov.u32 %%r10, 0; L: @%%p1 ld.global.u32 %%r6, [%%rd4];"
        "@%%p1 add.s64 %%rd4, %%rd4, 128; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, 64;"
        "@%%p2 bra L;"};
    int known = 0;
    for (uint32_t k = 0; k < 30; k++) {
        uint32_t chance = state_of_chance, n = draw(12, 40), grid[3] = {1024, 1, 1};
        uint32_t which = draw(0, n - 1), workers = (1024 - which + n - 1) / n;
        char body[2000], work[1000], ptx[4000];
        sprintf(work, works[k % 3], which);
        sprintf(body, "rem.u32 %%r9, %%r2, %u; %s", n, work);
        sprintf(ptx, reads, 64, 0, 0, 1, body);
        sg_gpu seeded = gpu;
        seeded.seed = ((uint64_t)draw(0, 1 << 30) << 30) + draw(1, 1 << 30);
        sg_launch l = {
            .options = k % 2 ? SG_TRACE : SG_TRACE | SG_SAMPLE, .gpu = &seeded, .patience = 60};
        assert_int_equal(run_at(ptx, grid, 64, &l), 0);
        double sectors = 2.0 * workers * 64 * 4;
        known += !l.traits.no_time;
        if (!l.traits.no_time && l.traits.l2_reads < 0.3 * sectors)
            fail_msg("seed %u: block %u of %u works, variant %u: ran %lu, read %.0f sectors of "
                     "%.0f",
                     chance, which, n, k % 3, l.traits.ran, l.traits.l2_reads, sectors);
    }
    assert_in_range(known, 1, 30);
}

/* Never true, but blocks may wait for one another then: each of them is looked at. */
static const char may_wait[] =
    "setp.gt.u32 %p3, %r1, 5000; @!%p3 bra D; W: ld.volatile.global.u32 %r8, [%rd2];"
    "setp.eq.u32 %p3, %r8, 77; @%p3 bra W; D:";

/* One block in n reads 60 lines: which, hangs on a word of the memory. */
static sg_traits one_in(uint32_t n, uint32_t which, const sg_gpu *of, unsigned options,
                        const char *first) {
    char work[1000], ptx[4000];
    sprintf(
        work,
        "%s ld.global.u32 %%r9, [%%rd2+%u]; add.u32 %%r9, %%r9, %%r2; rem.u32 %%r9, %%r9, %u;"
        "setp.ne.u32 %%p1, %%r9, %u; @%%p1 ret; mov.u32 %%r10, 0; L: ld.global.u32 %%r6, [%%rd4];"
        "add.s64 %%rd4, %%rd4, 128; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, 60;"
        "@%%p2 bra L;",
        first, 4 * WORDS - 4, n, which);
    sprintf(ptx, reads, 64, 0, 0, 1, work);
    sg_launch l = {.options = options, .gpu = of};
    assert_int_equal(run_at(ptx, (uint32_t[3]){1024, 1, 1}, 32, &l), 0);
    return l.traits;
}

/* Maybe none of the 32 blocks that are spread over the grid works. Then more are looked at. */
static void workers_by_a_value_are_found(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        uint32_t chance = state_of_chance, n = draw(9, 40), which = draw(0, n - 1);
        sg_gpu seeded = gpu;
        seeded.seed = ((uint64_t)draw(0, 1 << 30) << 30) + draw(1, 1 << 30);
        seeded.blocks_each = 10;
        seeded.l1_bytes = 1024; /* neighbours share lines, but not on the GPU's multiprocessors */
        sg_traits all = one_in(n, which, &seeded, SG_TRACE, may_wait);
        sg_traits is = one_in(n, which, &seeded, k % 2 ? SG_TRACE : SG_TRACE | SG_COUNT, "");
        if (is.no_time || !near(is.issued, all.issued, 0.25) ||
            !near(is.l2_reads, all.l2_reads, 0.25) || !near(is.dram_reads, all.dram_reads, 0.25) ||
            !near(is.chain, all.chain, 0.5) || is.longest_chain < 450)
            fail_msg(
                "seed %u: one in %u (%u): reason %d, %g instructions (%g), %g sectors of L2 (%g), "
                "%g of memory (%g), chain %g (%g), longest %g",
                chance, n, which, (int)is.no_time, is.issued, all.issued, is.l2_reads, all.l2_reads,
                is.dram_reads, all.dram_reads, is.chain, all.chain, is.longest_chain);
    }
}

/* If blocks differ, or their work depends on what they read, all of them run, or
 * none beyond those that another block waits for. */
static void others_run_whole(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "setp.ne.u32 %p1, %r6, 0; @%p1 ret;",
        "and.b32 %r6, %r6, 1023; mul.wide.u32 %rd7, %r6, 4; add.s64 %rd8, %rd2, %rd7;"
        "ld.global.u32 %r6, [%rd8];",
        "mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r2; @%p1 bra L;",
        "mul.lo.u32 %r7, %r2, %r2; and.b32 %r7, %r7, 255; mul.wide.u32 %rd7, %r7, 2048;"
        "add.s64 %rd8, %rd2, %rd7; ld.global.u32 %r6, [%rd8];"};
    uint32_t grid[3] = {300, 1, 1};
    for (size_t k = 0; k < WB_COUNT(bodies); k++) {
        char ptx[4000];
        sprintf(ptx, reads, 64, 0, 0, 1, bodies[k]);
        sg_launch l = {.options = SG_TRACE | SG_SAMPLE, .gpu = &gpu, .patience = 60};
        assert_int_equal(run_at(ptx, grid, 64, &l), 0);
        assert_true(l.traits.ran == 300 && !l.traits.no_time);
    }
}

static void nobody_waits_for_ever(void **state) {
    (void)state;
    uint32_t grid[3] = {60000, 100, 1};
    char ptx[4000];
    sprintf(ptx, reads, 1, 0, 0, 1, "setp.eq.u32 %p1, %r6, 77; @%p1 ret;");
    sg_launch l = {.options = SG_TRACE | SG_SAMPLE, .gpu = &gpu, .patience = 1e-3};
    assert_int_equal(run_at(ptx, grid, 1024, &l), 0);
    assert_true(l.traits.ran < 6000000);
    assert_int_equal(l.traits.no_time, SG_DEPENDS);
}

/* After launches of which only a sample ran, as those before this test. */
static void what_was_partly_written_tells_nothing(void **state) {
    (void)state;
    uint32_t grid[3] = {300, 1, 1};
    char ptx[4000];
    sprintf(ptx, reads, 64, 0, 0, 1, "setp.ne.u32 %p1, %r6, 0; @%p1 ret;");
    sg_launch l = {.options = SG_TRACE | SG_SAMPLE, .gpu = &gpu, .patience = 60};
    assert_int_equal(run_at(ptx, grid, 64, &l), 0);
    assert_true(l.traits.ran == 0 && l.traits.no_time == SG_DEPENDS_PARTLY);
    l.options = SG_TRACE;
    assert_int_equal(run_at(ptx, grid, 64, &l), 0);
    assert_true(l.traits.ran == 300 && !l.traits.no_time);
}

static int begin(void **state) {
    const char *seed = getenv("SAMPLE_TEST_SEED");
    state_of_chance = seed ? (uint32_t)strtoul(seed, NULL, 10) : (uint32_t)time(NULL);
    printf("# SAMPLE_TEST_SEED=%u\n", state_of_chance);
    memory = sg_mem_alloc(4 * (size_t)WORDS, SG_MEM_DEVICE, "memory", NULL);
    memset(memory, 0, 4 * (size_t)WORDS);
    return setup(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_run_whole),
        cmocka_unit_test(nobody_waits_for_ever),
        cmocka_unit_test(a_sample_tells_of_all),
        cmocka_unit_test(a_stride_is_not_followed_in_step),
        cmocka_unit_test(a_halo_ends_at_the_border),
        cmocka_unit_test(all_may_run),
        cmocka_unit_test(who_does_more_is_seen),
        cmocka_unit_test(hidden_workers_are_seen),
        cmocka_unit_test(workers_by_a_value_are_found),
        cmocka_unit_test(what_was_partly_written_tells_nothing),
    };
    return cmocka_run_group_tests(tests, begin, teardown);
}
