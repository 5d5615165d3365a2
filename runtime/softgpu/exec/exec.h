/* exec.h: how handlers are written. Every file of handlers is compiled once for each instruction
 * set, with SG_ISA set to base, avx2 or avx512. Each ends in a table of its handlers by name.
 *
 * A handler has two versions: NAME_f if all 32 lanes are active, NAME_m under a mask. Both loop
 * over all lanes, so that the compiler vectorises them. The masked one keeps the old value of an
 * inactive lane. So a lane's computation must be harmless for any bits.
 */
#pragma once

#include <math.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "runtime/softgpu/exec/handlers.h"
#include "runtime/softgpu/machine/numbers.h"

#define SG_PASTE2(a, b) a##_##b
#define SG_PASTE(a, b) SG_PASTE2(a, b)
#define SG_TABLE(group) SG_PASTE(sg_table_##group, SG_ISA)

/* Continues with another instruction. */
#ifdef SG_TRAMPOLINE
#define GOTO(next, mode)                                                                           \
    do {                                                                                           \
        (void)(mode);                                                                              \
        (void)r;                                                                                   \
        w->ip = (next);                                                                            \
        return;                                                                                    \
    } while (0)
#else
#define GOTO(next, mode)                                                                           \
    do {                                                                                           \
        const sg_op *next_ = (next);                                                               \
        next_->fn[mode](next_, w, r);                                                              \
        return;                                                                                    \
    } while (0)
#endif
/* Continues after the warp's path has changed: w->r and w->full are new. NULL stops the warp. */
#define RESUME(next)                                                                               \
    do {                                                                                           \
        const sg_op *to_ = (next);                                                                 \
        if (!to_)                                                                                  \
            return;                                                                                \
        r = w->r;                                                                                  \
        GOTO(to_, w->full);                                                                        \
    } while (0)

/* Uses up the time slice at a backward branch, so that a loop cannot block others. */
#define SPEND(target)                                                                              \
    do {                                                                                           \
        if (--w->budget <= 0) {                                                                    \
            w->ip = (target);                                                                      \
            w->stop = SG_STOP_SLICE;                                                               \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#define HANDLER(name) static void name(__attribute__((unused)) const sg_op *ip, sg_warp *w, char *r)

/* A rare case of a handler, out of line: the usual case then needs no stack frame. */
#define SLOW_HANDLER(name) __attribute__((noinline)) HANDLER(name)

#if defined(__clang__)
/* Some loops (division, 128-bit products) stay scalar, which is expected. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif
#define LANES IVDEP for (int i = 0; i < SG_LANES; i++)

typedef uint32_t __attribute__((may_alias)) w32;
typedef uint64_t __attribute__((may_alias)) w64;
typedef float __attribute__((may_alias)) wf32;
typedef double __attribute__((may_alias)) wf64;
typedef uint16_t __attribute__((may_alias)) w16;
typedef uint8_t __attribute__((may_alias)) w8;

/* NaNs as NVIDIA's GPUs produce them, measured on an H200 (tests/softgpu/cases/nan). Single and
 * half precision have one NaN for all results, including neg and abs. Double precision keeps an
 * operand's payload and sign, and makes it quiet. */
static inline float sg_nan(float f) {
    return f == f ? f : sg_bits_f32(0x7fffffffu);
}
static inline double sg_quiet(double f) {
    return f == f ? f : sg_bits_f64(sg_f64_bits(f) | 1ull << 51);
}
/* Returns the result, or `first` if that operand, which has priority, is a NaN. */
static inline double sg_nan_of(double first, double result) {
    return first == first ? result : sg_quiet(first);
}

/* Flushes subnormals to zero of the same sign. */
static inline float sg_ftz(float f) {
    uint32_t bits = sg_f32_bits(f);
    return sg_bits_f32(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}

/* TYPE(T, lane, value, get, put, imm): a register stores a lane of type T as l_T, and expressions
 * see it as v_T. GET_T reads lane x, PUT_T makes a lane of value x, and IMM_T reads the immediate
 * operand with the bits x. */
#define TYPE(T, lane, value, get, put, imm_)                                                       \
    typedef lane l_##T;                                                                            \
    typedef value v_##T;                                                                           \
    static inline v_##T GET_##T(l_##T x) {                                                         \
        return (v_##T)(get);                                                                       \
    }                                                                                              \
    static inline l_##T PUT_##T(v_##T x) {                                                         \
        return (l_##T)(put);                                                                       \
    }                                                                                              \
    static inline v_##T IMM_##T(const sg_op *ip) {                                                 \
        uint64_t x = ip->imm;                                                                      \
        return (v_##T)(imm_);                                                                      \
    }
TYPE(u8, w32, uint8_t, x, x, x)
TYPE(s8, w32, int8_t, x, (uint8_t)x, x)
TYPE(u16, w32, uint16_t, x, x, x)
TYPE(s16, w32, int16_t, x, (uint16_t)x, x)
TYPE(u32, w32, uint32_t, x, x, x)
TYPE(s32, w32, int32_t, x, x, x)
TYPE(u64, w64, uint64_t, x, x, x)
TYPE(s64, w64, int64_t, x, x, x)
TYPE(f32, wf32, float, x, x, sg_bits_f32((uint32_t)x))
TYPE(f64, wf64, double, x, x, sg_bits_f64(x))
TYPE(h16, w32, float, sg_h2f(x), sg_f2h(x), sg_h2f((uint32_t)x))
TYPE(b16, w32, float, sg_b2f(x), sg_f2b(x), sg_b2f((uint32_t)x))

/* Returns a mask whose bit i is set if flags[i] is -1. Each flag is 0 or -1. */
static inline uint32_t sg_pack(const int32_t *flags) {
#if defined(__AVX512DQ__)
    return (uint32_t)_mm512_movepi32_mask(_mm512_loadu_si512(flags)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_loadu_si512(flags + 16)) << 16;
#elif defined(__AVX2__)
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++)
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(flags + 8 * i)))
                << 8 * i;
    return mask;
#elif defined(__SSE2__)
    uint32_t mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(flags + 4 * i))) << 4 * i;
    return mask;
#else
    uint32_t mask = 0;
    for (int i = 0; i < SG_LANES; i++)
        mask |= (uint32_t)(flags[i] & 1) << i;
    return mask;
#endif
}

/* AFFINE finds the record of the affine register whose lanes are at `place`. SPREADS fills the
 * lanes from it. */
#define AFFINE(place) ((sg_affine *)(r + (place)-SG_AFFINE_BYTES))
#define SPREADS(name, U, W)                                                                        \
    static inline void name(char *r, int32_t place) {                                              \
        sg_affine *a = AFFINE(place);                                                              \
        if (a->lanewise | a->spread)                                                               \
            return;                                                                                \
        W *lanes = (W *)(r + place);                                                               \
        U base = (U)a->base, step = (U)a->step;                                                    \
        LANES lanes[i] = base + step * (U)i;                                                       \
        a->spread = 1;                                                                             \
    }
SPREADS(sg_spread, uint64_t, w64)
SPREADS(sg_spread32, uint32_t, w32)

#define PRED(place) (*(w32 *)(r + (place)))
static inline void sg_set_pred(w32 *p, uint32_t value, uint32_t mask) {
    *p = (*p & ~mask) | (value & mask);
}

/* The two versions of a handler. The body sees `full`, a constant. */
#define TWICE(name, ...) TWICE_(name, __VA_ARGS__)
#define TWICE_(name, ...)                                                                          \
    HANDLER(name##_m) {                                                                            \
        const bool full = false;                                                                   \
        __VA_ARGS__                                                                                \
    }                                                                                              \
    HANDLER(name##_f) {                                                                            \
        const bool full = true;                                                                    \
        __VA_ARGS__                                                                                \
    }
/* Sets the result's lanes, and continues. */
#define EACH(D, expr)                                                                              \
    LANES {                                                                                        \
        v_##D x_ = (expr);                                                                         \
        l_##D y_ = PUT_##D(x_);                                                                    \
        d_[i] = full || on_[i] ? y_ : d_[i];                                                       \
    }                                                                                              \
    GOTO(ip + 1, full);
#define DST(D)                                                                                     \
    l_##D *d_ = (l_##D *)(r + ip->d);                                                              \
    const int32_t *on_ = w->on
#define SRC(T, slot) const l_##T *slot##_ = (const l_##T *)(r + ip->slot)

/* Functions of one, two and three operands. The expression sees a, b and c. */
#define DEF1(name, D, A, expr)                                                                     \
    static inline v_##D name##_x(v_##A a) {                                                        \
        return (v_##D)(expr);                                                                      \
    }                                                                                              \
    TWICE(name, DST(D); SRC(A, a); EACH(D, name##_x(GET_##A(a_[i]))))
#define DEF2(name, D, A, B, expr)                                                                  \
    static inline v_##D name##_x(v_##A a, v_##B b) {                                               \
        return (v_##D)(expr);                                                                      \
    }                                                                                              \
    TWICE(name, DST(D); SRC(A, a); SRC(B, b); EACH(D, name##_x(GET_##A(a_[i]), GET_##B(b_[i]))))   \
    TWICE(name##_i, DST(D); SRC(A, a); v_##B b = IMM_##B(ip); EACH(D, name##_x(GET_##A(a_[i]), b)))
#define DEF3(name, D, A, B, C, expr)                                                               \
    static inline v_##D name##_x(v_##A a, v_##B b, v_##C c) {                                      \
        (void)b;                                                                                   \
        return (v_##D)(expr);                                                                      \
    }                                                                                              \
    TWICE(name, DST(D); SRC(A, a); SRC(B, b); SRC(C, c);                                           \
          EACH(D, name##_x(GET_##A(a_[i]), GET_##B(b_[i]), GET_##C(c_[i]))))
/* Sets the predicate at ip->d for the active lanes. */
#define SET_PRED(p)                                                                                \
    if (full)                                                                                      \
        PRED(ip->d) = (p);                                                                         \
    else                                                                                           \
        sg_set_pred((w32 *)(r + ip->d), (p), w->mask)
/* A comparison, whose result goes to a predicate: two handlers, each ended by END. */
#define COMPARE(name, function, A, LOAD_B, b, END)                                                 \
    TWICE(name, SRC(A, a); LOAD_B; int32_t t[SG_LANES]; LANES t[i] = function(GET_##A(a_[i]), b);  \
          uint32_t p = sg_pack(t); SET_PRED(p); END(p, full ? SG_ALL : w->mask, full);)
#define GO_ON(p, mask, full) GOTO(ip + 1, full)
/* The next op is the brc or brc_back for this predicate. If all lanes agree, the branch is taken
 * here. Otherwise its own handler finds the predicate stored. */
#define BRANCH_NEXT(p, mask, full)                                                                 \
    const sg_op *br = ip + 1;                                                                      \
    uint32_t taken = ((p) ^ -(uint32_t)(br->flags & SG_F_NEGATE)) & (mask);                        \
    if (taken == (mask)) {                                                                         \
        if (br->mode)                                                                              \
            SPEND((const sg_op *)br->aux);                                                         \
        GOTO((const sg_op *)br->aux, full);                                                        \
    }                                                                                              \
    if (!taken) {                                                                                  \
        __asm__ volatile(""); /* a predicted branch, not a selected address */                     \
        GOTO(br + 1, full);                                                                        \
    }                                                                                              \
    GOTO(br, full)
#define DEFP(name, A, B, expr)                                                                     \
    static inline int32_t name##_x(v_##A a, v_##B b) {                                             \
        (void)b;                                                                                   \
        return -(int32_t)(expr);                                                                   \
    }                                                                                              \
    COMPARE(name, name##_x, A, SRC(B, b), GET_##B(b_[i]), GO_ON)                                   \
    COMPARE(name##_i, name##_x, A, v_##B b = IMM_##B(ip), b, GO_ON)
/* The same with `_br` variants that branch. */
#define DEFP_BR(name, A, B, expr)                                                                  \
    DEFP(name, A, B, expr)                                                                         \
    COMPARE(name##_br, name##_x, A, SRC(B, b), GET_##B(b_[i]), BRANCH_NEXT)                        \
    COMPARE(name##_i_br, name##_x, A, v_##B b = IMM_##B(ip), b, BRANCH_NEXT)
/* Rows of the table. */
#define ROW1(name, ...) {#name, name##_m, name##_f},
#define ROW2(name, ...) {#name, name##_m, name##_f}, {#name "_i", name##_i_m, name##_i_f},
#define ROWP(name, ...) ROW2(name) PAIR(name##_br) PAIR(name##_i_br)
#define BOTH(name) {#name, name, name},
#define PAIR(name) {#name, name##_m, name##_f},
