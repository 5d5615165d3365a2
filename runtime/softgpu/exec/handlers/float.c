/* float.c: handlers of floating-point instructions and conversions (ops_float.h), and of rounding
 * modes other than to nearest. PTX ISA, "Floating Point Instructions", "Half Precision Floating
 * Point Instructions". Approximate functions are at least as exact as the ISA promises, so the last
 * bits may differ from a GPU's. */
#include "runtime/softgpu/exec/exec.h"

static inline float fp_min32(float a, float b) {
    uint32_t either = sg_f32_bits(a) | sg_f32_bits(b);
    return sg_nan(a < b ? a : a > b ? b : a == b ? sg_bits_f32(either) : a != a ? b : a);
}
static inline float fp_max32(float a, float b) {
    uint32_t both = sg_f32_bits(a) & sg_f32_bits(b);
    return sg_nan(a > b ? a : a < b ? b : a == b ? sg_bits_f32(both) : a != a ? b : a);
}
static inline double fp_min64(double a, double b) {
    uint64_t either = sg_f64_bits(a) | sg_f64_bits(b);
    return a < b ? a : a > b ? b : a == b ? sg_bits_f64(either) : a != a ? sg_quiet(b) : a;
}
static inline double fp_max64(double a, double b) {
    uint64_t both = sg_f64_bits(a) & sg_f64_bits(b);
    return a > b ? a : a < b ? b : a == b ? sg_bits_f64(both) : a != a ? sg_quiet(b) : a;
}
/* Reads and writes only the higher half of a double. */
static inline double fp_rcp_high(double a) {
    uint64_t high = sg_f64_bits(a) >> 32, nan = (high & 0x7fffffffu) > 0x7ff00000u;
    uint64_t bits = sg_f64_bits(1.0 / sg_bits_f64(high << 32)) & 0xffffffff00000000ull;
    return sg_bits_f64(nan ? 0x7fffffff00000000ull : bits);
}
/* Rounds to odd, so that a second rounding is correct: S. Boldo, G. Melquiond, "Emulation of FMA
 * and correctly rounded sums: proved algorithms using rounding to odd", 2008. */
static inline float fp_narrow_odd(double x) {
    float f = (float)x;
    uint32_t bits = sg_f32_bits(f);
    double back = (double)f;
    uint32_t odd = fabs(back) < fabs(x) ? bits | 1 : bits - 1;
    int exact = back == x || x != x || (bits & 1) || (bits & 0x7fffffffu) == 0x7f800000u;
    uint32_t tiny = (bits & 0x7fffffffu) == 0 && x != 0 ? bits | 1 : bits;
    return sg_bits_f32(exact ? bits : tiny != bits ? tiny : odd);
}
static inline double fp_add_odd(double p, double c) {
    double s = p + c, t = s - p, error = (p - (s - t)) + (c - t);
    uint64_t bits = sg_f64_bits(s);
    uint64_t odd = (error > 0) == (s > 0) ? bits | 1 : bits - 1;
    int keep = !(error > 0 || error < 0) || (bits & 1) || !(fabs(s) < INFINITY);
    return sg_bits_f64(keep ? bits : odd);
}

/* Functions P_NAME of halves, raw bits to raw bits, with the operands x, y and z as floats. */
#define HALF1(P, T, name, expr)                                                                    \
    static inline uint32_t P##_##name(uint32_t a) {                                                \
        float x = P##_get(a);                                                                      \
        return P##_put(expr);                                                                      \
    }
#define HALF2(P, T, name, expr)                                                                    \
    static inline uint32_t P##_##name(uint32_t a, uint32_t b) {                                    \
        float x = P##_get(a), y = P##_get(b);                                                      \
        return P##_put(expr);                                                                      \
    }
#define HALF3(P, T, name, expr)                                                                    \
    static inline uint32_t P##_##name(uint32_t a, uint32_t b, uint32_t c) {                        \
        float x = P##_get(a), y = P##_get(b), z = P##_get(c);                                      \
        return P##_put(expr);                                                                      \
    }
/* The sign's instructions work on the bits. */
#define HALF_SIGN(P, T, name, expr)                                                                \
    static inline uint32_t P##_##name(uint32_t a) {                                                \
        return (a & 0x7fffu) > P##_INF ? 0x7fffu : expr;                                           \
    }
#define h_get sg_h2f
#define h_put sg_f2h
#define h_INF 0x7c00u
#define b_get sg_b2f
#define b_put sg_f2b
#define b_INF 0x7f80u
#define HALVES(P, T)                                                                               \
    HALF2(P, T, add, x + y)                                                                        \
    HALF2(P, T, sub, x - y)                                                                        \
    HALF2(P, T, mul, x *y)                                                                         \
    HALF2(P, T, min, fp_min32(x, y))                                                               \
    HALF2(P, T, max, fp_max32(x, y))                                                               \
    HALF2(P, T, min_NaN, x != x ? x : y != y ? y : fp_min32(x, y))                                 \
    HALF2(P, T, max_NaN, x != x ? x : y != y ? y : fp_max32(x, y))                                 \
    HALF3(P, T, fma, fp_narrow_odd(fp_add_odd((double)x *(double)y, (double)z)))                   \
    HALF_SIGN(P, T, neg, a ^ 0x8000u)                                                              \
    HALF_SIGN(P, T, abs, a & 0x7fffu)                                                              \
    HALF1(P, T, sat, x > 0 ? x < 1 ? x : 1.0f : 0.0f)                                              \
    HALF1(P, T, relu, x != x ? x : x > 0 ? x : 0.0f)                                               \
    HALF1(P, T, ex2, exp2f(x))                                                                     \
    HALF1(P, T, tanh, tanhf(x))
HALVES(h, f16)
HALVES(b, bf16)
#undef HALF1
#undef HALF2
#undef HALF3
#undef HALF_SIGN
static inline uint32_t h_ftz(uint32_t a) {
    return (a & 0x7c00u) ? a : a & 0x8000u;
}

/* Converts a double to half. A NaN keeps its sign and the part of its payload that fits. */
static inline uint32_t fp_half_of(double a) {
    uint64_t bits = sg_f64_bits(a);
    uint32_t nan = (uint32_t)(bits >> 48 & 0x8000) | 0x7e00u | (uint32_t)(bits >> 42 & 0x1ff);
    return a == a ? sg_f2h(fp_narrow_odd(a)) : nan;
}

#define OP1 DEF1
#define OP2 DEF2
#define OP3 DEF3
#define CMP DEFP
#include "runtime/softgpu/exec/handlers/ops_float.h"
#undef OP1
#undef OP2
#undef OP3
#undef CMP

/* Directed rounding: the loops below run with another rounding mode in MXCSR. The barriers keep the
 * compiler from moving arithmetic out of the region. All operands come from memory inside it. */
static inline unsigned round_begin(int mode) {
    static const unsigned bits[] = {0, 0x6000, 0x2000, 0x4000}; /* RN RZ RM RP */
    unsigned old = _mm_getcsr();
    _mm_setcsr((old & ~0x6000u) | bits[mode & 3]);
    __asm__ volatile("" ::: "memory");
    return old;
}
static inline void round_end(unsigned old) {
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(old);
}
/* fma in a directed mode works without the CPU's instruction too: glibc's fma honours the mode. */
#define ROUNDED(name, T, FROM, expr)                                                               \
    static __attribute__((noinline)) void name##_run(const sg_op *ip, sg_warp *w, char *r) {       \
        l_##T *d_ = (l_##T *)(r + ip->d);                                                          \
        const l_##FROM *a_ = (l_##FROM *)(r + ip->a), *b_ = (l_##FROM *)(r + ip->b);               \
        const l_##FROM *c_ = (l_##FROM *)(r + ip->c);                                              \
        unsigned old = round_begin(ip->mode);                                                      \
        EACH_LANE {                                                                                \
            v_##FROM a = GET_##FROM(a_[i]), b = GET_##FROM(b_[i]), c = GET_##FROM(c_[i]);          \
            (void)b;                                                                               \
            (void)c;                                                                               \
            d_[i] = PUT_##T(expr);                                                                 \
        }                                                                                          \
        round_end(old);                                                                            \
    }                                                                                              \
    HANDLER(name) {                                                                                \
        name##_run(ip, w, r);                                                                      \
        GOTO(ip + 1, w->full);                                                                     \
    }
#define ROUNDED_ALL(X)                                                                             \
    X(add_mode_f32, f32, f32, sg_nan(a + b))                                                       \
    X(sub_mode_f32, f32, f32, sg_nan(a - b))                                                       \
    X(mul_mode_f32, f32, f32, sg_nan(a *b))                                                        \
    X(div_mode_f32, f32, f32, sg_nan(a / b))                                                       \
    X(fma_mode_f32, f32, f32, sg_nan(fmaf(a, b, c)))                                               \
    X(sqrt_mode_f32, f32, f32, sg_nan(sqrtf(a)))                                                   \
    X(rcp_mode_f32, f32, f32, sg_nan(1.0f / a))                                                    \
    X(add_mode_f64, f64, f64, sg_nan_of(b, a + b))                                                 \
    X(sub_mode_f64, f64, f64, sg_nan_of(b, a - b))                                                 \
    X(mul_mode_f64, f64, f64, sg_nan_of(b, a *b))                                                  \
    X(div_mode_f64, f64, f64, a / b)                                                               \
    X(fma_mode_f64, f64, f64, sg_nan_of(b, sg_nan_of(c, fma(a, b, c))))                            \
    X(sqrt_mode_f64, f64, f64, sqrt(a))                                                            \
    X(rcp_mode_f64, f64, f64, 1.0 / a)                                                             \
    X(cvt_mode_f32_f64, f32, f64, (float)a)                                                        \
    X(cvt_mode_f32_s32, f32, s32, (float)a)                                                        \
    X(cvt_mode_f32_u32, f32, u32, (float)a)                                                        \
    X(cvt_mode_f32_s64, f32, s64, (float)a)                                                        \
    X(cvt_mode_f32_u64, f32, u64, (float)a)                                                        \
    X(cvt_mode_f64_s64, f64, s64, (double)a)                                                       \
    X(cvt_mode_f64_u64, f64, u64, (double)a)                                                       \
    X(cvt_mode_f16_f32, u16, f32, fp_half_toward(a, ip->mode))                                     \
    X(cvt_mode_bf16_f32, u16, f32, fp_bf16_toward(a, ip->mode))

/* Returns x as binary16, rounded by mode: one step from the nearest value toward the mode's
 * side. */
static inline uint32_t fp_step16(uint32_t nearest, float back, float x, int mode, uint32_t inf) {
    uint32_t magnitude = nearest & 0x7fff;
    if (x != x || back == x)
        return nearest;
    int negative = nearest >> 15 & 1;
    int toward_zero = mode == SG_RZ || (mode == SG_RM && !negative) || (mode == SG_RP && negative);
    int beyond = fabsf(back) > fabsf(x);
    if (toward_zero && beyond)
        return nearest - 1;
    if (!toward_zero && !beyond && magnitude < inf)
        return nearest + 1;
    return nearest;
}
static inline uint32_t fp_half_toward(float x, int mode) {
    unsigned old = _mm_getcsr();
    _mm_setcsr(old & ~0x6000u);
    uint32_t h = sg_f2h(x);
    uint32_t result = fp_step16(h, sg_h2f(h), x, mode, 0x7c00);
    _mm_setcsr(old);
    return fabsf(x) == INFINITY ? h : result;
}
static inline uint32_t fp_bf16_toward(float x, int mode) {
    uint32_t b = sg_f2b(x);
    return fabsf(x) == INFINITY ? b : fp_step16(b, sg_b2f(b), x, mode, 0x7f80);
}
ROUNDED_ALL(ROUNDED)

const sg_entry SG_TABLE(float)[] = {
#define OP1 ROW1
#define OP2 ROW2
#define OP3 ROW1
#define CMP ROW2
#include "runtime/softgpu/exec/handlers/ops_float.h"
#define ROUNDED_ROW(name, ...) BOTH(name)
    ROUNDED_ALL(ROUNDED_ROW){NULL, NULL, NULL}};
