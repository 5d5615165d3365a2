/* The execution engine: kernels as PTX text, results against the same computation in C. Run once
 * for each instruction set the CPU has. */
#include <math.h>
#include <pthread.h>

#include "tests/unit/softgpu/engine_kit.h"

/* ---- arithmetic ---------------------------------------------------------------------------- */

static void test_integers(void **state) {
    (void)state;
    succeed(
        HEAD BEGIN
        "ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+128];\n"
        "add.s32 %r4, %r2, %r3; mul.lo.s32 %r5, %r2, %r3; xor.b32 %r4, %r4, %r5;\n"
        "mul.hi.s32 %r5, %r2, %r3; add.s32 %r4, %r4, %r5; div.s32 %r5, %r2, 7;\n"
        "xor.b32 %r4, %r4, %r5; rem.u32 %r5, %r2, 1000; add.s32 %r4, %r4, %r5;\n"
        "shr.s32 %r5, %r2, %r1; xor.b32 %r4, %r4, %r5; shl.b32 %r5, %r2, 33; add.u32 %r4, %r4, "
        "%r5;\n"
        "popc.b32 %r5, %r2; add.u32 %r4, %r4, %r5; clz.b32 %r5, %r3; add.u32 %r4, %r4, %r5;\n"
        "brev.b32 %r5, %r2; xor.b32 %r4, %r4, %r5; bfe.s32 %r5, %r2, 5, 9; add.u32 %r4, %r4, %r5;\n"
        "bfi.b32 %r4, %r3, %r4, 8, 8; prmt.b32 %r4, %r4, %r2, 0x3715;\n"
        "lop3.b32 %r4, %r4, %r2, %r3, 0x96; shf.l.wrap.b32 %r4, %r4, %r2, 5;\n"
        "min.s32 %r5, %r2, %r3; max.u32 %r6, %r2, %r3; sad.u32 %r4, %r5, %r6, %r4;\n"
        "st.global.u32 [%rd1], %r4;" END,
        1, 32);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t a = in[i], b = in[i + 32], x = a + b;
        x ^= a * b;
        x += (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
        x ^= (uint32_t)((int32_t)a / 7);
        x += a % 1000;
        x ^= (uint32_t)((int32_t)a >> i);
        x += (uint32_t)__builtin_popcount(a) + (b ? (uint32_t)__builtin_clz(b) : 32);
        uint32_t r = 0;
        for (int k = 0; k < 32; k++)
            r |= (a >> k & 1) << (31 - k);
        x ^= r;
        x += (uint32_t)((int32_t)(a << 18) >> 23);
        x = (x & ~0xff00u) | (b & 0xff) << 8;
        uint64_t bytes = (uint64_t)a << 32 | x;
        x = 0;
        for (int k = 0; k < 4; k++)
            x |= (uint32_t)(bytes >> 8 * (0x3715 >> 4 * k & 7) & 0xff) << 8 * k;
        x = x ^ a ^ b;
        x = (uint32_t)(((uint64_t)a << 32 | x) << 5 >> 32);
        uint32_t lo = (int32_t)a < (int32_t)b ? a : b, hi = a > b ? a : b;
        x += lo > hi ? lo - hi : hi - lo;
        assert_int_equal(out[i], x);
    }
}

static void test_carries_and_widths(void **state) {
    (void)state;
    /* 128-bit sum of two 64-bit products; operands wider than the type: cvt.s64.s32 %rd, %rd. */
    succeed(
        HEAD BEGIN
        "ld.global.u32 %r2, [%rd2]; cvt.u64.u32 %rd4, %r2; mul.lo.u64 %rd5, %rd4, %rd4;\n"
        "not.b64 %rd6, %rd5; add.cc.u64 %rd7, %rd5, %rd5; addc.u64 %rd8, 0, 0;\n"
        "add.cc.u64 %rd7, %rd7, %rd6; addc.u64 %rd8, %rd8, 3; cvt.u32.u64 %r3, %rd8;\n"
        "shl.b64 %rd9, %rd5, 7; cvt.s64.s32 %rd10, %rd9; shr.u64 %rd11, %rd10, 32; cvt.u32.u64 "
        "%r4, %rd11;\n"
        "xor.b32 %r3, %r3, %r4; cvt.s32.s8 %r5, %r2; cvt.u16.u32 %h1, %r2; cvt.s32.s16 %r6, %h1;\n"
        "add.s32 %r3, %r3, %r5; add.s32 %r3, %r3, %r6; cvt.sat.u8.s32 %r7, %r2; add.s32 %r3, %r3, "
        "%r7;\n"
        "st.global.u32 [%rd1], %r3;" END,
        1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t p = (uint64_t)in[i] * in[i];
        unsigned __int128 sum = (unsigned __int128)p + p;
        sum = (uint64_t)sum + (unsigned __int128)~p + (sum >> 64 << 64);
        uint32_t x = (uint32_t)(sum >> 64) + 3;
        x ^= (uint32_t)((uint64_t)(int64_t)(int32_t)(p << 7) >> 32);
        int32_t s = (int32_t)in[i];
        x += (uint32_t)(int8_t)in[i] + (uint32_t)(int16_t)in[i] +
             (s < 0     ? 0
              : s > 255 ? 255
                        : (uint32_t)s);
        assert_int_equal(out[i], x);
    }
}

static float bits_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static uint32_t float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static void test_floats(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = float_bits((float)((int)(i * 7919 % 2003) - 1000) * 0.37f + 0.001f);
    succeed(
        HEAD BEGIN
        "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+256]; fma.rn.f32 %f3, %f1, %f2, %f1;\n"
        "div.rn.f32 %f4, %f3, %f2; sqrt.rn.f32 %f5, %f1; max.f32 %f5, %f5, %f4; min.f32 %f5, %f5, "
        "0f42C80000;\n"
        "add.rz.f32 %f6, %f5, 0f33800001; add.rp.f32 %f7, %f5, 0f33800001; sub.f32 %f8, %f7, %f6;\n"
        "st.global.f32 [%rd1], %f5; st.global.f32 [%rd1+512], %f8;\n"
        "cvt.rzi.s32.f32 %r2, %f1; cvt.rni.s32.f32 %r3, %f1; cvt.rmi.s32.f32 %r4, %f1; add.s32 "
        "%r2, %r2, %r3;\n"
        "add.s32 %r2, %r2, %r4; cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f9, %h1;\n"
        "st.global.u32 [%rd1+1024], %r2; st.global.f32 [%rd1+1536], %f9;" END,
        1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        float a = bits_float(in[i]), b = bits_float(in[i + 64]), x = fmaf(a, b, a) / b;
        float root = a < 0 ? NAN : sqrtf(a);
        x = fminf(fmaxf(root, x), 100.0f);
        assert_int_equal(out[i], float_bits(x));
        double exact = (double)x + (double)bits_float(0x33800001u);
        float down = (float)exact, up;
        if (fabs((double)down) > fabs(exact))
            down = nextafterf(down, 0);
        up = (float)exact;
        if ((double)up < exact)
            up = nextafterf(up, INFINITY);
        assert_int_equal(out[128 + i], float_bits(up - down));
        assert_int_equal((int32_t)out[256 + i],
                         (int32_t)a + (int32_t)rintf(a) + (int32_t)floorf(a));
        assert_true(fabsf(bits_float(out[384 + i]) - a) <= fabsf(a) / 2048);
    }
}

static void test_halves(void **state) {
    (void)state;
    /* All 65536 bit patterns through f16 -> f32 -> f16; 1 + 2^-11 ties to even; fma keeps what f32
     * loses. */
    const char *ptx = HEAD BEGIN
        "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 1024, %r1; cvt.u16.u32 %h1, %r3;\n"
        "cvt.f32.f16 %f1, %h1; cvt.rn.f16.f32 %h2, %f1; setp.ne.b16 %p1, %h1, %h2;\n"
        "testp.notanumber.f32 %p2, %f1; not.pred %p3, %p2; and.pred %p1, %p1, %p3;\n"
        "ld.param.u64 %rd4, [out]; @%p1 red.global.add.u32 [%rd4], 1;\n"
        "mov.f32 %f2, 0f3F801000; cvt.rn.f16.f32 %h3, %f2; cvt.rz.f16.f32 %h4, 0fBF803FFF;\n"
        "mov.b32 %r4, {%h3, %h4}; st.global.u32 [%rd4+4], %r4;\n"
        "mov.b16 %h5, 0x3C01; mov.b16 %h6, 0x9000; fma.rn.f16 %h7, %h5, %h5, %h6;\n"
        "cvt.u32.u16 %r5, %h7; st.global.u32 [%rd4+8], %r5;" END;
    out[0] = 0;
    succeed(ptx, 64, 1024);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0xbc013c00u - 0x00000000u);
    /* (1 + 2^-10)^2 - 2^-11 (0x9000 is -2^-11): 1 + 2^-9 + 2^-20 - 2^-11, a hair over a tie: rounds
     * up. */
    assert_int_equal(out[2], 0x3c02);
}

/* ---- control ------------------------------------------------------------------------------- */

static void test_divergence(void **state) {
    (void)state;
    /* Collatz steps of tid + 1: nested branches in a loop that lanes leave at different times. */
    succeed(
        HEAD BEGIN
        "add.u32 %r2, %r1, 1; mov.u32 %r3, 0;\n"
        "LOOP: setp.eq.u32 %p1, %r2, 1; @%p1 bra DONE; and.b32 %r4, %r2, 1; setp.ne.u32 %p2, %r4, "
        "0;\n"
        "@%p2 bra ODD; shr.u32 %r2, %r2, 1; bra.uni NEXT;\n"
        "ODD: mad.lo.u32 %r2, %r2, 3, 1;\n"
        "NEXT: add.u32 %r3, %r3, 1; bra.uni LOOP;\n"
        "DONE: activemask.b32 %r5; popc.b32 %r5, %r5; shl.b32 %r5, %r5, 16; or.b32 %r3, %r3, %r5;\n"
        "st.global.u32 [%rd1], %r3;" END,
        1, 100);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t n = i + 1, steps = 0, together = i < 96 ? 32 : 4;
        for (; n != 1; steps++)
            n = n & 1 ? 3 * n + 1 : n / 2;
        assert_int_equal(out[i], steps | together << 16); /* all lanes have met again */
    }
}

static void test_calls(void **state) {
    (void)state;
    succeed(HEAD ".func (.param .b32 r) fib(.param .b32 n)\n"
                 "{ .reg .pred %p<2>; .reg .b32 %r<8>; ld.param.u32 %r1, [n]; setp.lt.u32 %p1, "
                 "%r1, 2; @%p1 bra BASE;\n"
                 "add.u32 %r2, %r1, -1; { .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; "
                 "call (v), fib, (a); ld.param.b32 %r3, [v]; }\n"
                 "add.u32 %r2, %r1, -2; { .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; "
                 "call (v), fib, (a); ld.param.b32 %r4, [v]; }\n"
                 "add.u32 %r1, %r3, %r4;\nBASE: st.param.b32 [r], %r1; ret; }\n"
                 ".func (.param .b32 r) twice(.param .b32 n)\n"
                 "{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.u32 %r1, %r1, %r1; st.param.b32 "
                 "[r], %r1; ret; }\n" BEGIN
                 "and.b32 %r2, %r1, 15; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;\n"
                 "mov.u64 %rd4, fib; mov.u64 %rd5, twice; selp.b64 %rd6, %rd4, %rd5, %p1;\n"
                 "{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v;\n"
                 "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                 "call (v), %rd6, (a), proto; ld.param.b32 %r4, [v]; }\n"
                 "st.global.u32 [%rd1], %r4;" END,
            1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t a = 0, b = 1, n = i & 15;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t c = a + b;
            a = b;
            b = c;
        }
        assert_int_equal(out[i], i & 1 ? 2 * n : a);
    }
}

static void test_warp(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        in[i] = i * i;
    succeed(
        HEAD BEGIN
        "ld.global.u32 %r2, [%rd2]; shfl.sync.bfly.b32 %r3|%p1, %r2, 5, 31, -1;\n"
        "shfl.sync.up.b32 %r4|%p2, %r2, 3, 0, -1; selp.u32 %r5, 1, 0, %p2; shfl.sync.idx.b32 %r6, "
        "%r2, 2, 0x181f, -1;\n"
        "and.b32 %r7, %r1, 3; setp.eq.u32 %p3, %r7, 0; vote.sync.ballot.b32 %r8, %p3, -1;\n"
        "match.any.sync.b32 %r9, %r7, -1; popc.b32 %r9, %r9; redux.sync.add.s32 %r10, %r2, -1;\n"
        "add.u32 %r11, %r3, %r4; add.u32 %r11, %r11, %r5; mad.lo.u32 %r11, %r6, 7, %r11; xor.b32 "
        "%r11, %r11, %r8;\n"
        "add.u32 %r11, %r11, %r9; add.u32 %r11, %r11, %r10; st.global.u32 [%rd1], %r11;" END,
        1, 64);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t lane = i & 31, warp = i & 32, sum = 0;
        for (uint32_t k = 0; k < 32; k++)
            sum += in[warp + k];
        uint32_t x = in[warp + (lane ^ 5)] + (lane >= 3 ? in[i - 3] + 1 : in[i]);
        x += 7 * in[warp + (lane & 24) + 2];
        x = (x ^ 0x11111111u) + 8 + sum;
        assert_int_equal(out[i], x);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static void test_shared_reduction(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i + 1;
    memset(out, 0, 64);
    sg_launch l = {.options = SG_COUNT, .dynamic_shared = 1024};
    int code =
        run(HEAD
            ".extern .shared .align 16 .b8 s[];\n" BEGIN
            "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd5, %r2, 1024; add.s64 %rd2, %rd2, %rd5; "
            "ld.global.u32 %r3, [%rd2];\n"
            "mov.u32 %r4, s; shl.b32 %r5, %r1, 2; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r3; "
            "bar.sync 0;\n"
            "mov.u32 %r6, %ntid.x; shr.u32 %r6, %r6, 1;\n"
            "LOOP: setp.ge.u32 %p1, %r1, %r6; @%p1 bra SKIP; shl.b32 %r7, %r6, 2; add.u32 %r7, "
            "%r7, %r4;\n"
            "ld.shared.u32 %r8, [%r7]; ld.shared.u32 %r9, [%r4]; add.u32 %r9, %r9, %r8; "
            "st.shared.u32 [%r4], %r9;\n"
            "SKIP: bar.sync 0; shr.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra LOOP;\n"
            "setp.ne.u32 %p3, %r1, 0; @%p3 ret; ld.shared.u32 %r9, [s]; ld.param.u64 %rd6, [out];\n"
            "red.global.add.u32 [%rd6], %r9;" END,
            4, 256, &l);
    assert_int_equal(code, 0);
    assert_int_equal(out[0], 1024 * 1025 / 2);
    assert_int_equal(l.counters.barriers, 4 * 8 * 9);
    assert_int_equal(l.counters.global_load_requests, 32);
    assert_int_equal(l.counters.global_load_sectors, 128);
    assert_int_equal(l.counters.global_atomic_requests, 4);
    /* Steps of 128, 64, 32 threads, and five within a warp; 8 warps stored; all without conflicts.
     */
    assert_int_equal(l.counters.shared_store_requests, 4 * (8 + 4 + 2 + 1 + 5));
    assert_int_equal(l.counters.shared_load_wavefronts, 4 * (2 * (4 + 2 + 1 + 5) + 1));
    assert_int_equal(l.counters.divergent_branches, 4 * 5);
}

static void test_counters(void **state) {
    (void)state;
    static const struct {
        const char *address; /* bytes from tid, in %r3 */
        uint32_t sectors, wavefronts;
    } cases[] = {{"shl.b32 %r3, %r1, 2;", 4, 1},
                 {"shl.b32 %r3, %r1, 3;", 8, 2},
                 {"shl.b32 %r3, %r1, 7;", 32, 32},
                 {"mul.lo.u32 %r3, %r1, 132;", 32, 1},
                 {"mov.u32 %r3, 64;", 1, 1},
                 {"and.b32 %r3, %r1, 1; shl.b32 %r3, %r3, 7;", 2, 2},
                 {"xor.b32 %r3, %r1, 21; shl.b32 %r3, %r3, 2;", 4, 1}};
    char ptx[4000];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(
            ptx, sizeof ptx, "%s%s%s", HEAD ".shared .align 16 .b8 s[4352];\n" BEGIN,
            cases[k].address,
            " mov.u32 %r4, s; add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4]; ld.param.u64 %rd4, "
            "[in];\n"
            "setp.gt.u32 %p1, %r3, 4092; @%p1 mov.u32 %r3, 0; cvt.u64.u32 %rd5, %r3; add.s64 %rd4, "
            "%rd4, %rd5;\n"
            "ld.global.u32 %r6, [%rd4]; add.u32 %r6, %r6, %r5; st.global.u32 [%rd1], %r6;" END);
        sg_launch l = {.options = SG_COUNT};
        assert_int_equal(run(ptx, 1, 32, &l), 0);
        assert_int_equal(l.counters.global_load_sectors, cases[k].sectors);
        assert_int_equal(l.counters.shared_load_wavefronts, cases[k].wavefronts);
        assert_int_equal(l.counters.global_store_sectors, 4);
        assert_int_equal(l.counters.lane_instructions, 32 * l.counters.warp_instructions);
    }
}

/* Constant memory is not global memory. */
static void test_constant_memory_counts(void **state) {
    (void)state;
    static const struct {
        const char *load;
        uint32_t sectors;
    } cases[] = {{"ld.const.u32 %r5, [c+8];", 0},
                 {"ld.const.v2.u32 {%r5, %r6}, [c+8];", 0},
                 {"setp.gt.u32 %p1, %r1, 5; @%p1 ld.const.u32 %r5, [c];", 0},
                 {"mov.u64 %rd5, c; add.s64 %rd5, %rd5, %rd3; ld.const.u32 %r5, [%rd5];", 0},
                 {"ld.global.u32 %r5, [%rd2];", 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char ptx[2000];
        snprintf(ptx, sizeof ptx, "%smov.u32 %%r5, 0; %s st.global.u32 [%%rd1], %%r5;%s",
                 HEAD ".const .align 32 .b8 c[256];\n" BEGIN, cases[k].load, END);
        sg_launch l = {.options = SG_COUNT};
        assert_int_equal(run(ptx, 1, 32, &l), 0);
        assert_int_equal(l.counters.global_load_sectors, cases[k].sectors);
    }
}

static void test_atomics(void **state) {
    (void)state;
    memset(out, 0, 64);
    float *sum = (float *)&out[5];
    double *sum64 = (double *)&out[6];
    out[2] = 1000;
    succeed(HEAD BEGIN
            "ld.param.u64 %rd4, [out]; atom.global.add.u32 %r2, [%rd4], 1; red.global.max.s32 "
            "[%rd4+4], %r1;\n"
            "red.global.min.u32 [%rd4+8], %r1; atom.global.inc.u32 %r3, [%rd4+12], 9; "
            "atom.global.or.b32 %r4, [%rd4+16], 5;\n"
            "mov.f32 %f1, 0f3F000000; red.global.add.f32 [%rd4+20], %f1; mov.f64 %fd1, "
            "0d3FD0000000000000;\n"
            "red.global.add.f64 [%rd4+24], %fd1; atom.cas.b64 %rd6, [%rd4+32], 0, 77;" END,
            8, 128);
    assert_int_equal(out[0], 1024);
    assert_int_equal(out[1], 127);
    assert_int_equal(out[2], 0);
    assert_int_equal(out[3], 1024 % 10);
    assert_int_equal(out[4], 5);
    assert_true(*sum == 512.0f && *sum64 == 256.0);
    assert_int_equal(out[8], 77);
}

/* Counts bytes that several lanes use once: all lanes one word; two lanes each word, side by
 * side and far apart; and one word stored by all. */
static void test_shared_words_are_used_once(void **state) {
    (void)state;
    sg_launch l = {.options = SG_COUNT};
    assert_int_equal(run(HEAD BEGIN
                         "ld.param.u64 %rd4, [in]; ld.global.u32 %r2, [%rd4];\n"
                         "and.b32 %r3, %r1, 15; mul.wide.u32 %rd5, %r3, 4; add.s64 %rd5, %rd4, "
                         "%rd5; ld.global.u32 %r3, [%rd5];\n"
                         "shr.u32 %r3, %r1, 1; mul.wide.u32 %rd5, %r3, 32; add.s64 %rd5, %rd4, "
                         "%rd5; ld.global.u32 %r3, [%rd5];\n"
                         "st.global.u32 [%rd4], %r2;" END,
                         1, 32, &l),
                     0);
    assert_int_equal(l.counters.global_load_requests, 3);
    assert_int_equal(l.counters.global_load_sectors, 1 + 2 + 16);
    assert_int_equal(l.counters.global_load_bytes, 3 * 128);
    assert_int_equal(l.counters.global_load_used, 4 + 64 + 64);
    assert_int_equal(l.counters.global_store_bytes, 128);
    assert_int_equal(l.counters.global_store_used, 4);
}

/* Asynchronous copies move bytes too, those of lanes that take none (a size of 0) do not. */
static void test_asynchronous_copies_count(void **state) {
    (void)state;
    sg_launch l = {.options = SG_COUNT};
    assert_int_equal(run(HEAD ".shared .align 16 .b8 s[512];\n" BEGIN
                              "mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2; ld.param.u64 %rd4, "
                              "[in]; mul.wide.u32 %rd5, %r1, 16; add.s64 %rd4, %rd4, %rd5;\n"
                              "setp.lt.u32 %p1, %r1, 16; selp.u32 %r3, 16, 0, %p1;\n"
                              "cp.async.cg.shared.global [%r2], [%rd4], 16, %r3;\n"
                              "cp.async.wait_all;" END,
                         1, 32, &l),
                     0);
    assert_int_equal(l.counters.global_load_requests, 1);
    assert_int_equal(l.counters.global_load_sectors, 8);
    assert_int_equal(l.counters.global_load_bytes, 256);
    assert_int_equal(l.counters.global_load_used, 256);
    assert_int_equal(l.counters.shared_store_requests, 1);
    assert_int_equal(l.counters.shared_store_wavefronts, 4);
}

/* Threads that have ended are not waited for; where they left is told. */
static void test_threads_gone_at_a_barrier(void **state) {
    (void)state;
#define LEAVE                                                                                      \
    ".loc 1 3 0\nsetp.gt.u32 %p1, %r1, 39;\n.loc 1 4 0\n@%p1 bra DONE;\n.loc 1 6 0\nbar.sync 0;\n" \
    ".loc 1 8 0\nst.global.u32 [%rd1], %r1;\n@%p1 bra DONE; bar.sync 0;\nDONE:\n.loc 1 9 0\n"
    sg_launch l = {0};
    assert_int_equal(run(HEAD ".file 1 \"/x/a.cu\"\n" BEGIN LEAVE END, 2, 64, &l), 0);
    assert_int_equal(l.gone.threads, 24);
    assert_int_equal(l.gone.of, 64);
    assert_int_equal(l.gone.barrier, 6);
    assert_int_equal(l.gone.left, 4);
    assert_int_equal(out[39], 39);
    /* none had left, or behind the last barrier */
    assert_int_equal(run(HEAD ".file 1 \"/x/a.cu\"\n" BEGIN LEAVE END, 2, 40, &l), 0);
    assert_int_equal(l.gone.threads, 0);
    assert_int_equal(
        run(HEAD BEGIN "bar.sync 0; setp.gt.u32 %p1, %r1, 39; @%p1 ret;" END, 2, 64, &l), 0);
    assert_int_equal(l.gone.threads, 0);
}

/* Waits between threads are exact, however many CPU threads run the blocks. */
static void test_contention(void **state) {
    (void)state;
    enum { BLOCKS = 200 };
    memset(out, 0, 4096);
    sg_launch l = {.options = SG_COUNT};
    /* 64 words of 2 threads a block; in shared memory 4 words, each met by 8 lanes of a warp. The
     * loop makes blocks last long enough for other workers to take some. */
    assert_int_equal(
        run(HEAD ".shared .align 16 .b8 s[16];\n" BEGIN
                 "mov.u32 %r9, 2000; LOOP: sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; "
                 "@%p1 bra LOOP;\n"
                 "ld.param.u64 %rd4, [out]; and.b32 %r2, %r1, 63; mul.wide.u32 %rd5, %r2, 4; "
                 "add.s64 %rd4, %rd4, %rd5; red.global.add.u32 [%rd4], 1;\n"
                 "mov.u32 %r3, s; and.b32 %r4, %r1, 3; shl.b32 %r4, %r4, 2; add.u32 %r3, %r3, %r4; "
                 "red.shared.add.u32 [%r3], 1;" END,
            BLOCKS, 128, &l),
        0);
    assert_int_equal(out[63], 2 * BLOCKS);
    assert_int_equal(l.counters.global_atomic_operations, 128 * BLOCKS);
    assert_int_equal(l.counters.global_atomic_passes, 4 * BLOCKS);
    assert_int_equal(l.counters.busiest_address, 2 * BLOCKS);
    assert_int_equal(l.counters.shared_atomic_wavefronts, 4 * 8 * BLOCKS);
    sg_launch same = {.options = SG_COUNT};
    assert_int_equal(run(HEAD BEGIN "ld.param.u64 %rd4, [out]; and.b32 %r2, %r1, 4; "
                                    "cvt.u64.u32 %rd5, %r2; add.s64 %rd4, %rd4, %rd5; "
                                    "atom.add.u32 %r3, [%rd4], 1;" END,
                         3, 48, &same),
                     0);
    assert_int_equal(same.counters.global_atomic_operations, 3 * 48);
    assert_int_equal(same.counters.global_atomic_passes, 3 * (16 + 8));
    assert_int_equal(same.counters.busiest_address, 3 * 24);
    /* 4 warps of a block run at once, so it lasts as long as one */
    assert_int_equal(l.counters.longest_block, l.counters.warp_instructions / (4 * BLOCKS));
    /* 32 warps do not; nor does it help that one thread works for all */
    sg_launch wide = {.options = SG_COUNT}, one = {.options = SG_COUNT};
    assert_int_equal(run(HEAD BEGIN "add.u32 %r2, %r1, 1;" END, 1, 1024, &wide), 0);
    assert_int_equal(wide.counters.longest_block, wide.counters.warp_instructions / 4);
    assert_int_equal(run(HEAD BEGIN "setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r9, 2000; "
                                    "LOOP: sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; "
                                    "@%p1 bra LOOP;" END,
                         3, 64, &one),
                     0);
    assert_in_range(one.counters.longest_block, 6000, 6020);
    assert_int_equal(one.counters.busiest_address, 0);
}

static void test_locks(void **state) {
    (void)state;
    memset(out, 0, 64);
    /* Lanes, warps and blocks fight for one lock; the loop keeps the winner away from its unlock.
     */
    succeed(HEAD BEGIN
            "ld.param.u64 %rd4, [out];\n"
            "SPIN: atom.global.cas.b32 %r2, [%rd4], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;\n"
            "ld.volatile.global.u32 %r3, [%rd4+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 "
            "[%rd4+4], %r3;\n"
            "membar.gl; atom.global.exch.b32 %r2, [%rd4], 0;" END,
            3, 96);
    assert_int_equal(out[1], 3 * 96);
    /* Blocks that wait for later ones, without a cooperative launch. */
    memset(out, 0, 64);
    succeed(HEAD BEGIN "ld.param.u64 %rd4, [out]; setp.ne.u32 %p1, %r1, 0; @%p1 bra JOIN; "
                       "red.global.add.u32 [%rd4], 1;\n"
                       "WAIT: ld.acquire.gpu.global.u32 %r2, [%rd4]; mov.u32 %r3, %nctaid.x; "
                       "setp.lt.u32 %p2, %r2, %r3; @%p2 bra WAIT;\n"
                       "JOIN: bar.sync 0; red.global.add.u32 [%rd4+4], 1;" END,
            6, 64);
    assert_int_equal(out[1], 6 * 64);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *code, *feature;
    } cases[] = {
        {HEAD BEGIN "wgmma.fence.sync.aligned;" END, "warpgroup matrix"},
        {HEAD BEGIN "setmaxnreg.inc.sync.aligned.u32 40;" END, "moving registers"},
        {HEAD BEGIN "tcgen05.wait::ld.sync.aligned;" END, "tensor memory"},
        {HEAD BEGIN "cp.async.bulk.prefetch.L2.global [%rd1], 16;" END, "TMA"},
        {HEAD BEGIN "fence.proxy.tensormap::generic.release.gpu;" END, "TMA"},
        {HEAD BEGIN "barrier.cluster.arrive;" END, "thread block clusters"},
        {HEAD BEGIN "mapa.u64 %rd2, %rd1, 0;" END, "thread block clusters"},
        {HEAD BEGIN "st.shared::cluster.u32 [%r1], %r1;" END, "thread block clusters"},
        {HEAD BEGIN "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f1;" END, "fp6"},
        {HEAD BEGIN "sured.b.add.1d.u32.trap [%rd1, {%r1}], %r1;" END, "atomics of textures"},
        {HEAD BEGIN "txq.width.b32 %r1, [%rd1];" END, "atomics of textures"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        fails(cases[i].code, 1, 0, 801, "softgpu does not support", cases[i].feature);
    fails(HEAD BEGIN "add.rn.sat.f64 %fd1, %fd1, %fd2; cvt.rn.satfinite.f32.f64 %f1, %fd1;" END, 1,
          0, 801, "cvt", "not implemented");
    fails(HEAD BEGIN "cvt.rn.e4m3x2.f32 %h1, %f1, %f1;" END, 1, 0, 801, "cvt", "not implemented");
    fails(HEAD BEGIN "shfl.idx.b32 %r2, %r1, 0, 31;" END, 1, 0, 801, "shfl", "_sync");
    sg_module *m = load(HEAD BEGIN END);
    const void *params[2] = {out, in};
    sg_launch l = {0};
    assert_int_equal(launch(m, "k", 1, 1025, params, &l), 1);
    assert_int_equal(launch(m, "k", 0, 32, params, &l), 1);
    l.dynamic_shared = 1 << 20;
    assert_int_equal(launch(m, "k", 1, 32, params, &l), 1);
    sg_module_unload(m);
}

static void test_races(void **state) {
    (void)state;
#define RACE(barrier)                                                                              \
    HEAD ".shared .align 4 .b8 s[512];\n" BEGIN                                                    \
         "mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], "       \
         "%r1;\n" barrier "xor.b32 %r3, %r3, 128; mov.u32 %r4, s; add.u32 %r4, %r4, %r3; "         \
         "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd1], %r5;" END
    sg_launch l = {.options = SG_RACECHECK};
    assert_int_equal(run(RACE("bar.sync 0;\n"), 1, 64, &l), 0);
    fails(RACE(""), 64, SG_RACECHECK, 719, "race", "__syncthreads() is missing");
}

/* Once the kernel runs, which it says by its first word. */
static void *interrupt_soon(void *unused) {
    while (!((volatile uint32_t *)out)[0])
        usleep(1000);
    sg_interrupt();
    return unused;
}

static void test_interrupt(void **state) {
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, NULL), 0);
    sg_launch l = {0};
    int code = run(HEAD BEGIN "ld.param.u64 %rd4, [out]; st.global.u32 [%rd4], 1;\n"
                              "LOOP: add.u32 %r2, %r2, 1; bra.uni LOOP;" END,
                   64, 64, &l);
    pthread_join(thread, NULL);
    assert_int_equal(code, 719);
    assert_string_equal(sg_fault_kind_name(l.fault.kind), "interrupted");
    assert_string_equal(l.fault.kernel, "k"); /* and where it was */
}

static void test_printf(void **state) {
    (void)state;
    FILE *file = tmpfile();
    int own = dup(1);
    assert_true(file && own >= 0 && fflush(stdout) == 0 && dup2(fileno(file), 1) == 1);
    succeed(HEAD
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
            ".global .align 1 .b8 fmt[] = "
            "{37,100,32,37,53,46,50,102,32,37,108,108,120,32,37,115,37,37,10,0};\n"
            ".global .align 1 .b8 str[] = {104,105,0};\n" BEGIN
            ".local .align 8 .b8 a[32]; mov.u64 %rd4, a; cvta.local.u64 %rd5, %rd4;\n"
            "sub.u32 %r2, 0, %r1; st.local.u32 [%rd4], %r2; mov.f64 %fd1, 0d3FF8000000000000; "
            "st.local.f64 [%rd4+8], %fd1;\n"
            "mov.u64 %rd6, 0x123456789ab; st.local.u64 [%rd4+16], %rd6; mov.u64 %rd7, str; "
            "cvta.global.u64 %rd7, %rd7; st.local.u64 [%rd4+24], %rd7;\n"
            "mov.u64 %rd8, fmt; cvta.global.u64 %rd8, %rd8; { .param .b64 p; st.param.b64 [p], "
            "%rd8; .param .b64 q; st.param.b64 [q], %rd5; .param .b32 v;\n"
            "call (v), vprintf, (p, q); ld.param.b32 %r3, [v]; } st.global.u32 [%rd1], %r3;" END,
            1, 2);
    char printed[4000] = "";
    dup2(own, 1);
    close(own);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = 0;
    fclose(file);
    assert_string_equal(printed, "0  1.50 123456789ab hi%\n-1  1.50 123456789ab hi%\n");
    assert_int_equal(out[0], 4);
}

/* ---- a whole kernel ------------------------------------------------------------------------- */

static void test_vector_add(void **state) {
    (void)state;
    enum { N = 100003 };
    sg_module *m = load(
        HEAD
        ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
        "{ .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r2, "
        "[n];\n"
        "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
        "mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2; @%p1 bra DONE;\n"
        "cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;\n"
        "cvta.to.global.u64 %rd7, %rd2; add.s64 %rd8, %rd7, %rd5;\n"
        "ld.global.f32 %f1, [%rd6]; ld.global.f32 %f2, [%rd8]; add.f32 %f3, %f1, %f2;\n"
        "cvta.to.global.u64 %rd9, %rd3; add.s64 %rd10, %rd9, %rd5; st.global.f32 [%rd10], %f3;\n"
        "DONE: ret; }\n");
    float *a = sg_mem_alloc(N * 4, SG_MEM_DEVICE, NULL, NULL),
          *b = sg_mem_alloc(N * 4, SG_MEM_DEVICE, NULL, NULL);
    float *c = sg_mem_alloc(N * 4, SG_MEM_DEVICE, NULL, NULL);
    assert_true(a && b && c);
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
    }
    struct {
        float *a, *b, *c;
        uint32_t n;
    } params = {a, b, c, N};
    for (unsigned options = 0; options < 2; options++) {
        sg_launch l = {.options = options};
        memset(c, 0, N * 4);
        assert_int_equal(launch(m, "add", (N + 255) / 256, 256, &params, &l), 0);
        for (int i = 0; i < N; i++)
            if (c[i] != 3.0f * (float)i)
                fail_msg("c[%d] = %f", i, (double)c[i]);
        assert_int_equal(l.counters.global_load_requests, options ? 2 * ((N + 31) / 32) : 0);
        assert_int_equal(l.counters.global_load_bytes, options ? 8 * N : 0);
        assert_int_equal(l.counters.global_load_used, options ? 8 * N : 0);
        assert_int_equal(l.counters.global_store_sectors, options ? (4 * N + 31) / 32 : 0);
        assert_int_equal(l.counters.flops_f32, options ? N : 0);
    }
    sg_mem_free(a);
    sg_mem_free(b);
    sg_mem_free(c);
    sg_module_unload(m);
}

int main(int argc, char **argv) {
    (void)argc;
    self = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_carries_and_widths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_floats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_halves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_divergence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_warp, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_reduction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_constant_memory_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_atomics, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_words_are_used_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_asynchronous_copies_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads_gone_at_a_barrier, setup, teardown),
        cmocka_unit_test_setup_teardown(test_contention, setup, teardown),
        cmocka_unit_test_setup_teardown(test_locks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_races, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_printf, setup, teardown),
        cmocka_unit_test(test_vector_add),
        cmocka_unit_test(test_other_instruction_sets)};
    if (getenv("ENGINE_TEST_CHILD")) /* one report is enough */
        cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return run_group("engine", tests, sizeof tests / sizeof tests[0]);
}
