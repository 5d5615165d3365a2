/* Memory as kernels see it: addresses of every form against the same index computed in C, what lies
 * outside is caught with its thread, local memory, vectors, memory that has been freed. Run once
 * for each instruction set the CPU has. */
#include "tests/unit/softgpu/engine_kit.h"

/* ---- how a warp's addresses lie ------------------------------------------------------------- */

/* Code that makes %rd5, a byte offset into `in`, of the thread number %r1; and the word it means.
 */
typedef struct address {
    const char *code;
    uint32_t (*word)(uint32_t tid);
} address;
#define WORD(name, expr)                                                                           \
    static uint32_t name(uint32_t t) {                                                             \
        (void)t;                                                                                   \
        return (uint32_t)(expr);                                                                   \
    }
WORD(unit, t)
WORD(fixed, 77)
WORD(thrice, 3 * t + 5)
WORD(backwards, 200 - 2 * t)
WORD(shuffled, t ^ 5)
WORD(half_rows, (t & 15) + 32 * (t >> 4))
WORD(same_rows, t & 15)
WORD(overlapping_rows, (t & 15) + 9 * (t >> 4))
WORD(two_words, 9 * (t >> 4))
WORD(nearly_rows, (t & 15) + 32 * (t >> 4) + (t % 32 == 30))
WORD(odd_ones_further, t + (t & 1 ? 40 : 0))
WORD(loops, t + 7 * (t & 3))
WORD(wrapped, t < 16 ? 400 : t)
static const address addresses[] = {
    {"mul.wide.s32 %rd5, %r1, 4;", unit},
    {"cvt.u64.u32 %rd5, %r1; shl.b64 %rd5, %rd5, 2;", unit},
    {"mov.u64 %rd5, 308;", fixed},
    {"mov.u32 %r2, %ntid.x; sub.u32 %r2, %r2, %r2; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd5, "
     "308;",
     fixed},
    {"cvt.s64.s32 %rd5, %r1; mov.u64 %rd6, 3; mul.lo.s64 %rd5, %rd6, %rd5; mul.lo.s64 %rd5, %rd5, "
     "4;\n"
     "add.s64 %rd5, %rd5, 20;",
     thrice},
    {"cvt.u64.u32 %rd5, %r1; mov.u64 %rd6, 12; mov.u64 %rd7, 20; mad.lo.s64 %rd5, %rd5, %rd6, "
     "%rd7;",
     thrice},
    {"cvt.u64.u32 %rd5, %r1; mov.u64 %rd6, 12; mad.lo.u64 %rd5, %rd5, %rd6, 20;", thrice},
    {"sub.s32 %r2, 100, %r1; mul.wide.s32 %rd5, %r2, 8;", backwards},
    {"mul.wide.u32 %rd6, %r1, 8; mov.u64 %rd7, 800; sub.s64 %rd5, %rd7, %rd6;", backwards},
    {"sub.s32 %r2, %r1, 100; mul.wide.s32 %rd6, %r2, -8; mov.b64 %rd5, %rd6;", backwards},
    {"xor.b32 %r2, %r1, 5; mul.wide.u32 %rd5, %r2, 4;", shuffled},
    {"mul.wide.u32 %rd5, %r1, 4; xor.b64 %rd6, %rd5, 20; cvt.u32.u64 %r2, %rd6; cvt.u64.u32 %rd5, "
     "%r2;",
     shuffled},
    {"and.b32 %r2, %r1, 15; shr.u32 %r3, %r1, 4; shl.b32 %r3, %r3, 5; add.u32 %r2, %r2, %r3;\n"
     "mul.wide.u32 %rd5, %r2, 4;",
     half_rows},
    {"and.b32 %r2, %r1, 15; mul.wide.u32 %rd5, %r2, 4;", same_rows},
    {"and.b32 %r2, %r1, 15; shr.u32 %r3, %r1, 4; mad.lo.u32 %r2, %r3, 9, %r2;\n"
     "mul.wide.u32 %rd5, %r2, 4;",
     overlapping_rows},
    {"shr.u32 %r3, %r1, 4; mul.wide.u32 %rd5, %r3, 36;", two_words},
    {"and.b32 %r2, %r1, 15; shr.u32 %r3, %r1, 4; shl.b32 %r3, %r3, 5; add.u32 %r2, %r2, %r3;\n"
     "and.b32 %r3, %r1, 31; setp.eq.u32 %p1, %r3, 30; @%p1 add.u32 %r2, %r2, 1;\n"
     "mul.wide.u32 %rd5, %r2, 4;",
     nearly_rows},
    /* A part of the lanes goes on with another value: under a guard, and in a branch. */
    {"and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mul.wide.u32 %rd5, %r1, 4;\n"
     "@%p1 add.s64 %rd5, %rd5, 160;",
     odd_ones_further},
    {"and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mul.wide.u32 %rd5, %r1, 4; mov.u64 %rd6, "
     "%rd5;\n"
     "@%p1 add.s64 %rd5, %rd6, 160;",
     odd_ones_further},
    {"and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mov.u64 %rd5, 0; @%p1 bra ODD;\n"
     "mul.wide.u32 %rd5, %r1, 4; bra.uni MET;\n"
     "ODD: mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, 160; MET:",
     odd_ones_further},
    /* Lanes leave the loop one by one; the others' sum is not theirs. */
    {"and.b32 %r2, %r1, 3; mul.wide.u32 %rd5, %r1, 4;\n"
     "AGAIN: setp.eq.u32 %p1, %r2, 0; @%p1 bra OUT; add.s64 %rd5, %rd5, 28; sub.u32 %r2, %r2, 1;\n"
     "bra.uni AGAIN; OUT:",
     loops},
    /* 32 bits wrap between two lanes: as numbers they do not rise by one step. */
    {"sub.u32 %r2, %r1, 16; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd5, 64;\n"
     "setp.gt.u64 %p1, %rd5, 4092; selp.u64 %rd6, 1600, %rd5, %p1; cvt.u32.u64 %r3, %rd6;\n"
     "cvt.u64.u32 %rd5, %r3;",
     wrapped},
};

/* Reads two words that lie so, and writes the thread's number to a third. In global memory; by some
 * of the lanes only, the address being made by them alone; and in shared memory, filled with `in`.
 */
static const char *const ways[] = {
    "%s\nld.param.u64 %%rd8, [in]; cvta.to.global.u64 %%rd8, %%rd8; add.s64 %%rd9, %%rd8, %%rd5;\n"
    "ld.global.u32 %%r9, [%%rd9]; ld.global.u32 %%r10, [%%rd9+400]; add.u32 %%r9, %%r9, %%r10;\n"
    "st.global.u32 [%%rd1], %%r9; ld.param.u64 %%rd10, [out]; add.s64 %%rd10, %%rd10, %%rd5;\n"
    "st.global.u32 [%%rd10+2048], %%r1;",
    "and.b32 %%r20, %%r1, 3; setp.eq.u32 %%p9, %%r20, 3; @%%p9 bra SKIP;\n%s\n"
    "ld.param.u64 %%rd8, [in]; add.s64 %%rd9, %%rd8, %%rd5; ld.global.u32 %%r9, [%%rd9];\n"
    "ld.global.u32 %%r10, [%%rd9+400]; add.u32 %%r9, %%r9, %%r10; st.global.u32 [%%rd1], %%r9;\n"
    "ld.param.u64 %%rd10, [out]; add.s64 %%rd10, %%rd10, %%rd5; st.global.u32 [%%rd10+2048], "
    "%%r1;\n"
    "SKIP:",
    ".shared .align 4 .b8 s[8192]; mov.u32 %%r30, %%r1; mov.u32 %%r33, s; mov.u32 %%r34, "
    "%%ntid.x;\n"
    "FILL: mul.wide.u32 %%rd20, %%r30, 4; ld.param.u64 %%rd21, [in]; add.s64 %%rd21, %%rd21, "
    "%%rd20;\n"
    "ld.global.u32 %%r31, [%%rd21]; shl.b32 %%r32, %%r30, 2; add.u32 %%r32, %%r33, %%r32;\n"
    "st.shared.u32 [%%r32], %%r31; add.u32 %%r30, %%r30, %%r34; setp.lt.u32 %%p9, %%r30, 1024;\n"
    "@%%p9 bra FILL; bar.sync 0;\n%s\ncvt.u32.u64 %%r20, %%rd5; add.u32 %%r20, %%r33, %%r20;\n"
    "ld.shared.u32 %%r9, [%%r20]; ld.shared.u32 %%r10, [%%r20+400]; add.u32 %%r9, %%r9, %%r10;\n"
    "st.global.u32 [%%rd1], %%r9; bar.sync 0; st.shared.u32 [%%r20+4096], %%r1; bar.sync 0;\n"
    "mov.u32 %%r30, %%r1; ld.param.u64 %%rd21, [out];\n"
    "COPY: mul.wide.u32 %%rd20, %%r30, 4; add.s64 %%rd22, %%rd21, %%rd20; shl.b32 %%r32, %%r30, "
    "2;\n"
    "add.u32 %%r32, %%r33, %%r32; ld.shared.u32 %%r31, [%%r32+4096];\n"
    "st.global.u32 [%%rd22+2048], %%r31; add.u32 %%r30, %%r30, %%r34; setp.lt.u32 %%p9, %%r30, "
    "512;\n"
    "@%%p9 bra COPY;"};
enum { WAYS = sizeof ways / sizeof *ways, BRANCH = 1 };

static void check_address(const address *a, size_t way, uint32_t threads, unsigned options) {
    char ptx[6000];
    int at = snprintf(ptx, sizeof ptx, "%s", HEAD BEGIN);
    at += snprintf(ptx + at, sizeof ptx - (size_t)at, ways[way], a->code);
    snprintf(ptx + at, sizeof ptx - (size_t)at, "%s", END);
    sg_launch l = {.options = options};
    memset(out, 0, 4096);
    if (run(ptx, 1, threads, &l))
        fail_msg("%s: %s%s", a->code, l.fault.text, refusal);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t w = a->word(t), want = in[w] + in[w + 100], last = t;
        if (way == BRANCH && (t & 3) == 3)
            continue;
        for (uint32_t other = t; other < threads; other++)
            if (a->word(other) == w && !(way == BRANCH && (other & 3) == 3))
                last = other;
        if (out[t] != want || out[w + 512] != last)
            fail_msg("%s: way %zu, %u threads, options %u: thread %u has %u, not %u; %u stored, "
                     "not %u",
                     a->code, way, threads, options, t, out[t], want, out[w + 512], last);
    }
}

static void test_addresses(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof addresses / sizeof *addresses; k++)
        for (size_t way = 0; way < WAYS; way++)
            for (unsigned options = 0; options <= SG_COUNT; options += SG_COUNT) {
                check_address(&addresses[k], way, 64, options);
                check_address(&addresses[k], way, 40, options); /* the second warp is not full */
            }
}

/* ---- indices and conditions ----------------------------------------------------------------- */

static const struct {
    const char *name;
    bool is_signed;
} comparisons[] = {{"eq.u32", 0}, {"ne.s32", 1}, {"lt.u32", 0}, {"le.u32", 0}, {"gt.u32", 0},
                   {"ge.u32", 0}, {"lt.s32", 1}, {"le.s32", 1}, {"gt.s32", 1}, {"ge.s32", 1}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

static bool holds(size_t k, uint32_t a, uint32_t b) {
    int64_t x = comparisons[k].is_signed ? (int64_t)(int32_t)a : (int64_t)a;
    int64_t y = comparisons[k].is_signed ? (int64_t)(int32_t)b : (int64_t)b;
    switch (comparisons[k].name[0] << 8 | comparisons[k].name[1]) {
    case 'e' << 8 | 'q':
        return x == y;
    case 'n' << 8 | 'e':
        return x != y;
    case 'l' << 8 | 't':
        return x < y;
    case 'l' << 8 | 'e':
        return x <= y;
    case 'g' << 8 | 't':
        return x > y;
    default:
        return x >= y;
    }
}

/* base + step * thread against b + other * thread, by register, immediate and branch. */
static void check_comparisons(uint32_t base, int32_t step, uint32_t b, int32_t other) {
    char ptx[8000];
    int at = snprintf(ptx, sizeof ptx, "%s", HEAD BEGIN);
    at += snprintf(ptx + at, sizeof ptx - (size_t)at,
                   "mul.lo.s32 %%r2, %%r1, %d; add.u32 %%r2, %%r2, %u; mul.lo.s32 %%r3, %%r1, %d; "
                   "add.u32 %%r3, %%r3, %u; mov.u32 %%r5, 0; mov.u32 %%r6, 0;\n",
                   step, base, other, b);
    for (size_t k = 0; k < COMPARISONS; k++)
        at += snprintf(
            ptx + at, sizeof ptx - (size_t)at,
            "setp.%s %%p1, %%r2, %%r3; selp.u32 %%r4, %u, 0, %%p1; or.b32 %%r5, %%r5, %%r4;\n"
            "setp.%s %%p1, %%r2, %u; selp.u32 %%r4, %u, 0, %%p1; or.b32 %%r5, %%r5, %%r4;\n"
            "setp.%s %%p1, %%r2, %%r3; @%%p1 bra L%zu; or.b32 %%r6, %%r6, %u; L%zu:\n",
            comparisons[k].name, 1u << k, comparisons[k].name, b, 1u << (k + 10),
            comparisons[k].name, k, 1u << k, k);
    snprintf(ptx + at, sizeof ptx - (size_t)at, "%s",
             "shl.b32 %r6, %r6, 20; xor.b32 %r5, %r5, %r6; st.global.u32 [%rd1], %r5;" END);
    succeed(ptx, 1, 40);
    for (uint32_t t = 0; t < 40; t++) {
        uint32_t x = base + (uint32_t)step * t, y = b + (uint32_t)other * t, want = 0;
        for (size_t k = 0; k < COMPARISONS; k++)
            want |= (uint32_t)holds(k, x, y) << k | (uint32_t)holds(k, x, b) << (k + 10) |
                    (uint32_t)!holds(k, x, y) << (k + 20);
        if (out[t] != want)
            fail_msg("%u + %d t against %u + %d t: thread %u has %x, not %x", base, step, b, other,
                     t, out[t], want);
    }
}

static void test_comparisons(void **state) {
    (void)state;
    static const uint32_t bases[] = {0, 10, 0x7ffffff0, 0xfffffff0};
    static const int32_t steps[] = {0, 1, 3, -2};
    for (size_t i = 0; i < 4; i++)
        for (size_t s = 0; s < 4; s++)
            for (size_t b = 0; b < 4; b++)
                check_comparisons(bases[i], steps[s], bases[b] + 6, s == b ? 2 : 0);
}

/* Index arithmetic in the usual order of a kernel, by all lanes and by some. */
static void test_index_arithmetic(void **state) {
    (void)state;
    static const char code[] =
        "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n"
        "mad.lo.u32 %r5, %r4, 3, %r2; shl.b32 %r6, %r5, 1; sub.u32 %r7, %r6, %r4; shl.b32 %r8, "
        "%r7, %r2;\n"
        "shr.u32 %r9, %r8, 2; shr.s32 %r10, %r9, %r2; and.b32 %r11, %r10, 1023; or.b32 %r12, %r11, "
        "%r2;\n"
        "xor.b32 %r13, %r12, 7; min.u32 %r14, %r13, 900; max.s32 %r15, %r14, %r2; div.u32 %r16, "
        "%r15, 3;\n"
        "rem.u32 %r17, %r16, 100; neg.s32 %r18, %r17; not.b32 %r19, %r18; min.s32 %r20, %r19, "
        "%r3;\n"
        "max.u32 %r21, %r20, %r17; mul.lo.s32 %r22, %r2, %r3; shr.u32 %r23, %r22, 1; and.b32 %r24, "
        "%r23, 15;\n"
        "add.u32 %r25, %r21, %r24; shl.b32 %r26, %r24, 35; add.u32 %r27, %r25, %r26; and.b32 %r28, "
        "%r27, "
        "511;\nmul.wide.u32 %rd5, %r28, 4; ld.param.u64 %rd6, [in]; add.s64 %rd6, %rd6, %rd5;\n"
        "ld.global.u32 %r29, [%rd6];\n";
    for (int way = 0; way < 2; way++)
        for (unsigned options = 0; options <= SG_COUNT; options += SG_COUNT) {
            char ptx[6000];
            snprintf(
                ptx, sizeof ptx, "%s%s%s%s", HEAD BEGIN,
                way ? "and.b32 %r30, %r1, 5; setp.eq.u32 %p1, %r30, 4; @%p1 bra OUT;\n" : "", code,
                "mov.u32 %r31, %ctaid.x; mul.wide.u32 %rd7, %r31, 256; add.s64 %rd1, %rd1, %rd7;\n"
                "st.global.u32 [%rd1], %r29; OUT:" END);
            sg_launch l = {.options = options};
            memset(out, 0, 4096);
            assert_int_equal(run(ptx, 8, 64, &l), 0);
            for (uint32_t t = 0; t < 512; t++) {
                uint32_t c = t / 64, x = t, want;
                x = (((x * 3 + c) << 1) - x) << c;
                x = (uint32_t)((int32_t)(x >> 2) >> c);
                x = ((x & 1023) | c) ^ 7;
                x = x < 900 ? x : 900;
                x = (x > c ? x : c) / 3 % 100;
                int32_t y = (int32_t)x - 1; /* ~-x */
                y = y < 64 ? y : 64;
                x = ((uint32_t)y > x ? (uint32_t)y : x) + (c * 64 / 2 & 15);
                want = way && (t % 64 & 5) == 4 ? 0 : in[x & 511];
                if (out[t] != want)
                    fail_msg("way %d, options %u: thread %u has %u, not %u", way, options, t,
                             out[t], want);
            }
        }
}

/* Every type of element at every distance from lane to lane. */
static void test_strides(void **state) {
    (void)state;
    static const struct {
        const char *type, *reg;
        int bytes;
    } types[] = {{"u8", "%r2", 1},  {"s8", "%r2", 1},  {"u16", "%r2", 2},
                 {"s16", "%r2", 2}, {"u32", "%r2", 4}, {"u64", "%rd7", 8}};
    static const int steps[] = {1, 0, 3, -1, -2};
    uint8_t copy[4096], *bytes = (uint8_t *)in, *to = (uint8_t *)out;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            int step = steps[s] * types[k].bytes, n = types[k].bytes;
            char ptx[3000];
            const char *type = types[k].type, *reg = types[k].reg;
            int at = snprintf(ptx, sizeof ptx, "%s", HEAD BEGIN);
            snprintf(ptx + at, sizeof ptx - (size_t)at,
                     "mul.wide.s32 %%rd5, %%r1, %d; ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, "
                     "[in];\n"
                     "add.s64 %%rd1, %%rd1, %%rd5; add.s64 %%rd2, %%rd2, %%rd5;\n"
                     "ld.global.%s %s, [%%rd2+1024]; st.global.%s [%%rd1+1024], %s;\n"
                     "ld.global.%s %s, [%%rd2+2048]; shr.%c%d %s, %s, 1; st.global.%s "
                     "[%%rd1+2048], %s;\n%s",
                     step, type, reg, type, reg, type, reg, type[0], n == 8 ? 64 : 32, reg, reg,
                     type, reg, END);
            memset(out, 0, 4096);
            memset(copy, 0, sizeof copy);
            for (int t = 0; t < 32; t++) {
                int64_t x = 0;
                memcpy(copy + 1024 + t * step, bytes + 1024 + t * step, (size_t)n);
                memcpy(&x, bytes + 2048 + t * step, (size_t)n);
                if (types[k].type[0] == 's')
                    x = n == 1 ? (int8_t)x : (int16_t)x;
                x = n == 8 ? (int64_t)((uint64_t)x >> 1) : x >> 1;
                memcpy(copy + 2048 + t * step, &x, (size_t)n);
            }
            succeed(ptx, 1, 32);
            if (memcmp(copy, to, sizeof copy))
                fail_msg("%s, %d bytes from lane to lane", types[k].type, step);
        }
}

/* The first lane that is wrong is named, however the addresses follow from each other. The first
 * warp stays inside, so the second finds the range in the cache. */
static void test_stray_addresses(void **state) {
    (void)state;
#define AT(code, access)                                                                           \
    HEAD BEGIN "ld.param.u64 %rd4, [in];\n" code "add.s64 %rd4, %rd4, %rd5;\n" access END
#define LOAD "ld.global.u32 %r2, [%rd4];"
#define STORE "st.global.u32 [%rd4], %r1;"
#define BY_WARP(bytes) "shr.u32 %r2, %r1, 5; mul.wide.u32 %rd5, %r2, " bytes ";"
    fails(AT("mul.wide.u32 %rd5, %r1, 64;", "ld.global.u32 %r2, [%rd4+128];"), 64, 0, 700,
          "thread (62, 0, 0)", "0 bytes past the end of a 4096-byte allocation in");
    fails(AT("mul.wide.u32 %rd5, %r1, 64;", "st.global.u32 [%rd4+256], %r1;"), 64, 0, 700,
          "thread (60, 0, 0)", "out-of-bounds write");
    fails(AT("sub.s32 %r2, 40, %r1; mul.wide.s32 %rd5, %r2, 64;", LOAD), 64, 0, 700,
          "thread (41, 0, 0)", "64 bytes before the start");
    fails(AT("mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, 3900;", STORE), 64, 0, 700,
          "thread (49, 0, 0)", "0 bytes past the end");
    fails(AT("mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, 3900;", LOAD), 64, 0, 700,
          "thread (49, 0, 0)", "0 bytes past the end");
    fails(AT(BY_WARP("4096"), LOAD), 64, 0, 700, "thread (32, 0, 0)", "0 bytes past the end");
    fails(AT(BY_WARP("-4"), LOAD), 64, 0, 700, "thread (32, 0, 0)", "read");
    fails(AT(BY_WARP("4094"), STORE), 64, 0, 716, "thread (32, 0, 0)", "misaligned write");
    fails(AT(BY_WARP("2"), LOAD), 64, 0, 716, "thread (32, 0, 0)", "misaligned read");
    fails(AT(BY_WARP("2") " mul.wide.u32 %rd6, %r1, 4; add.s64 %rd5, %rd5, %rd6;", LOAD), 64, 0,
          716, "thread (32, 0, 0)", "misaligned read");
    /* Half a warp each; the first half, of the first warp as of the second, is inside. */
#define BY_ROW(bytes)                                                                              \
    "and.b32 %r2, %r1, 15; shr.u32 %r3, %r1, 4; mul.wide.u32 %rd5, %r2, 4;\n"                      \
    "and.b32 %r3, %r3, 1; mul.wide.u32 %rd6, %r3, " bytes "; add.s64 %rd5, %rd5, %rd6;"
#define BY_HALF(bytes) "shr.u32 %r2, %r1, 4; mul.wide.u32 %rd5, %r2, " bytes ";"
    fails(AT(BY_ROW("4036"), LOAD), 32, 0, 700, "thread (31, 0, 0)", "0 bytes past the end");
    fails(AT(BY_ROW("4036"), STORE), 32, 0, 700, "thread (31, 0, 0)", "0 bytes past the end");
    fails(AT(BY_ROW("-4"), LOAD), 32, 0, 700, "thread (16, 0, 0)", "read");
    fails(AT(BY_ROW("66"), STORE), 32, 0, 716, "thread (16, 0, 0)", "misaligned write");
    fails(AT(BY_HALF("2048"), LOAD), 64, 0, 700, "thread (32, 0, 0)", "0 bytes past the end");
    fails(AT(BY_HALF("1366"), LOAD), 64, 0, 716, "thread (16, 0, 0)", "misaligned read");
    fails(AT(BY_HALF("1368"), LOAD), 64, 0, 700, "thread (48, 0, 0)", "8 bytes past the end");
    fails(AT("mul.wide.u32 %rd5, %r1, 6;", LOAD), 32, 0, 716, "thread (1, 0, 0)",
          "misaligned read");
    fails(AT("mul.wide.u32 %rd5, %r1, 4; shl.b64 %rd5, %rd5, 40;", LOAD), 32, 0, 700,
          "thread (1, 0, 0)", "read");
    /* 31 steps of the second warp come to 32 bytes, modulo 2^64; the first one reads a word. */
    fails(AT("and.b32 %r2, %r1, 31; shr.u32 %r3, %r1, 5; cvt.u64.u32 %rd5, %r2; cvt.u64.u32 %rd6, "
             "%r3;\n"
             "mul.lo.s64 %rd6, %rd6, 4314157888206266104; mul.lo.s64 %rd5, %rd5, %rd6;\n"
             "shl.b64 %rd5, %rd5, 2;\n",
             LOAD),
          64, 0, 700, "thread (33, 0, 0)", "read");
    fails(AT("mul.wide.u32 %rd5, %r1, 4; setp.gt.u32 %p1, %r1, 20;\n",
             "@%p1 add.s64 %rd4, %rd4, 4096; ld.global.u32 %r2, [%rd4];"),
          32, 0, 700, "thread (21, 0, 0)", "84 bytes past the end");
}

/* ---- other memory --------------------------------------------------------------------------- */

static void test_local_and_vectors(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i * 3;
    succeed(HEAD BEGIN
            ".local .align 16 .b8 a[64]; mul.wide.u32 %rd4, %r1, 12; add.s64 %rd5, %rd2, %rd4;\n"
            "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd5]; mov.u64 %rd6, a; st.local.v2.u32 "
            "[%rd6], {%r2, %r3};\n"
            "st.local.u32 [%rd6+8], %r4; st.local.u16 [%rd6+12], %r5; cvta.local.u64 %rd7, %rd6;\n"
            "and.b32 %r6, %r1, 3; mul.wide.u32 %rd8, %r6, 4; add.s64 %rd9, %rd7, %rd8; ld.u32 %r7, "
            "[%rd9];\n"
            "ld.local.u64 %rd10, [%rd6]; cvt.u32.u64 %r8, %rd10; ld.s8 %r9, [%rd9]; add.u32 %r7, "
            "%r7, %r8;\n"
            "sub.u32 %r7, %r7, %r9; st.global.u32 [%rd1], %r7;" END,
            1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t first = 4 * i * 3, x = first + 3 * (i & 3);
        x = (i & 3) == 3 ? (uint16_t)x : x;
        assert_int_equal(out[i], x + first - (uint32_t)(int8_t)x);
    }
}

static void test_faults(void **state) {
    (void)state;
    const char *shared = HEAD
        ".shared .align 4 .b8 s[128];\n" BEGIN
        "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1;" END;
    fails(shared, 33, 0, 700, "out-of-bounds write",
          "128 is outside of the block's 128 bytes of shared memory");
    fails(HEAD BEGIN "st.global.u32 [%rd1+4032], %r1;" END, 32, 0, 700, "thread (16, 0, 0)",
          "0 bytes past the end of a 4096-byte allocation out");
    fails(HEAD BEGIN "st.global.u32 [%rd1+-4], %r1;" END, 32, 0, 700, "thread (0, 0, 0)",
          "4 bytes before the start");
    fails(HEAD BEGIN "add.s64 %rd1, %rd1, 2; ld.global.u32 %r2, [%rd1];" END, 32, 0, 716,
          "misaligned read", "no multiple of 4");
    fails(HEAD BEGIN "mov.u64 %rd4, 16; ld.global.u32 %r2, [%rd4];" END, 1, 0, 700,
          "null plus an offset", "read");
    fails(HEAD ".const .align 4 .u32 c = 3;\n" BEGIN "mov.u64 %rd4, c; st.u32 [%rd4], %r1;" END, 1,
          0, 700, "constant", "c");
    fails(HEAD BEGIN "trap;" END, 32, 0, 719, "trap", "k");
    fails(HEAD BEGIN
          "setp.lt.u32 %p1, %r1, 7; @%p1 bra A; bar.sync 0; bra.uni B;\nA: bar.sync 1;\nB:" END,
          64, 0, 702, "deadlock", "64 of 64 threads");
    fails(HEAD ".func f(.param .b32 n)\n{ .reg .b32 %r<2>; .param .b32 a; .local .b8 l[4096]; "
               "ld.param.b32 %r1, [n]; st.param.b32 [a], %r1; call f, (a); ret; }\n" BEGIN
               "{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); }" END,
          1, 0, 700, "stack overflow", "recursion");
    fails(HEAD BEGIN "mov.u64 %rd4, 1234; call %rd4, ();" END, 1, 0, 700, "illegal call",
          "function pointer");
}

static void test_use_after_free(void **state) {
    (void)state;
    uint32_t *gone = sg_mem_alloc(400, SG_MEM_DEVICE, "gone", NULL), *kept = out;
    sg_mem_free(gone);
    out = gone;
    sg_launch l = {0};
    int code = run(HEAD BEGIN "st.global.u32 [%rd1+8], %r1;" END, 1, 1, &l);
    out = kept;
    assert_int_equal(code, 700);
    assert_non_null(
        strstr(l.fault.text, "8 bytes into a 400-byte allocation gone that has been freed"));
}

int main(int argc, char **argv) {
    (void)argc;
    self = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_comparisons, setup, teardown),
        cmocka_unit_test_setup_teardown(test_index_arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strides, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stray_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_local_and_vectors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_use_after_free, setup, teardown),
        cmocka_unit_test(test_other_instruction_sets)};
    if (getenv("ENGINE_TEST_CHILD")) /* one report is enough */
        cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return run_group("memory", tests, sizeof tests / sizeof tests[0]);
}
