/* ops_float.h: floating-point instructions as a list, included twice as ops_int.h is. */

/* An instruction's result. The first argument is the operand whose NaN has priority. */
#define NAN_f32(first, result) sg_nan(result)
#define NAN_f64(first, result) sg_nan_of(first, result)
#define ARITH(T)                                                                                   \
    OP2(add_##T, T, T, T, NAN_##T(b, a + b))                                                       \
    OP2(sub_##T, T, T, T, NAN_##T(b, a - b))                                                       \
    OP2(mul_##T, T, T, T, NAN_##T(b, a *b))                                                        \
    OP2(div_##T, T, T, T, NAN_##T(a, a / b))                                                       \
    OP1(sat_##T, T, T, a > 0 ? a < 1 ? a : 1 : 0)                                                  \
    CMP(setp_eq_##T, T, T, a == b)                                                                 \
    CMP(setp_ne_##T, T, T, a<b || a> b)                                                            \
    CMP(setp_lt_##T, T, T, a < b)                                                                  \
    CMP(setp_le_##T, T, T, a <= b)                                                                 \
    CMP(setp_gt_##T, T, T, a > b)                                                                  \
    CMP(setp_ge_##T, T, T, a >= b)                                                                 \
    CMP(setp_equ_##T, T, T, !(a < b || a > b))                                                     \
    CMP(setp_neu_##T, T, T, a != b)                                                                \
    CMP(setp_ltu_##T, T, T, !(a >= b))                                                             \
    CMP(setp_leu_##T, T, T, !(a > b))                                                              \
    CMP(setp_gtu_##T, T, T, !(a <= b))                                                             \
    CMP(setp_geu_##T, T, T, !(a < b))                                                              \
    CMP(setp_num_##T, T, T, a == a && b == b)                                                      \
    CMP(setp_nan_##T, T, T, a != a || b != b)
ARITH(f32)
ARITH(f64)
/* For results whose kind of NaN is never visible (lower/regs.c). */
OP2(add_any_f32, f32, f32, f32, a + b)
OP2(sub_any_f32, f32, f32, f32, a - b)
OP2(mul_any_f32, f32, f32, f32, a *b)
OP3(fma_any_f32, f32, f32, f32, f32, fmaf(a, b, c))
OP3(fma_f32, f32, f32, f32, f32, sg_nan(fmaf(a, b, c)))
OP3(fma_f64, f64, f64, f64, f64, sg_nan_of(b, sg_nan_of(c, fma(a, b, c))))

OP2(add_ftz_f32, f32, f32, f32, sg_nan(sg_ftz(sg_ftz(a) + sg_ftz(b))))
OP2(sub_ftz_f32, f32, f32, f32, sg_nan(sg_ftz(sg_ftz(a) - sg_ftz(b))))
OP2(mul_ftz_f32, f32, f32, f32, sg_nan(sg_ftz(sg_ftz(a) * sg_ftz(b))))
OP3(fma_ftz_f32, f32, f32, f32, f32, sg_nan(sg_ftz(fmaf(sg_ftz(a), sg_ftz(b), sg_ftz(c)))))
OP1(ftz_f32, f32, f32, sg_nan(sg_ftz(a)))
OP1(neg_f32, u32, u32, (a & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : a ^ 0x80000000u)
OP1(abs_f32, u32, u32, (a & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : a & 0x7fffffffu)
OP1(neg_f64, f64, f64, a == a ? sg_bits_f64(sg_f64_bits(a) ^ 0x8000000000000000ull) : sg_quiet(a))
OP1(abs_f64, f64, f64, a == a ? sg_bits_f64(sg_f64_bits(a) & 0x7fffffffffffffffull) : sg_quiet(a))
OP2(copysign_f32, u32, u32, u32, (a & 0x80000000u) | (b & 0x7fffffffu))
OP2(copysign_f64, u64, u64, u64, (a & 0x8000000000000000ull) | (b & 0x7fffffffffffffffull))
OP2(min_f32, f32, f32, f32, fp_min32(a, b))
OP2(max_f32, f32, f32, f32, fp_max32(a, b))
OP2(min_NaN_f32, f32, f32, f32, sg_nan(a != a ? a : b != b ? b : fp_min32(a, b)))
OP2(max_NaN_f32, f32, f32, f32, sg_nan(a != a ? a : b != b ? b : fp_max32(a, b)))
OP2(min_f64, f64, f64, f64, fp_min64(a, b))
OP2(max_f64, f64, f64, f64, fp_max64(a, b))

OP1(rcp_f32, f32, f32, sg_nan(1.0f / a))
OP1(rcp_f64, f64, f64, 1.0 / a)
OP1(rcp_approx_f64, f64, f64, fp_rcp_high(a))
OP1(sqrt_f32, f32, f32, sg_nan(sqrtf(a)))
OP1(sqrt_f64, f64, f64, sqrt(a))
OP1(rsqrt_f32, f32, f32, sg_nan((float)(1.0 / sqrt((double)a))))
OP1(rsqrt_f64, f64, f64, 1.0 / sqrt(a))
OP1(sin_f32, f32, f32, sg_nan((float)sin((double)a)))
OP1(cos_f32, f32, f32, sg_nan((float)cos((double)a)))
OP1(ex2_f32, f32, f32, sg_nan(exp2f(a)))
OP1(lg2_f32, f32, f32, sg_nan(log2f(a)))
OP1(tanh_f32, f32, f32, sg_nan(tanhf(a)))
CMP(testp_finite_f32, u32, u32, (a & 0x7f800000u) != 0x7f800000u)
CMP(testp_infinite_f32, u32, u32, (a & 0x7fffffffu) == 0x7f800000u)
CMP(testp_number_f32, u32, u32, (a & 0x7fffffffu) <= 0x7f800000u)
CMP(testp_notanumber_f32, u32, u32, (a & 0x7fffffffu) > 0x7f800000u)
CMP(testp_normal_f32, u32, u32,
    (a & 0x7f800000u) != 0x7f800000u && ((a & 0x7f800000u) != 0 || (a & 0x7fffffu) == 0))
CMP(testp_subnormal_f32, u32, u32, (a & 0x7f800000u) == 0 && (a & 0x7fffffu) != 0)
CMP(testp_finite_f64, f64, f64, fabs(a) < INFINITY)
CMP(testp_infinite_f64, f64, f64, fabs(a) == INFINITY)
CMP(testp_number_f64, f64, f64, a == a)
CMP(testp_notanumber_f64, f64, f64, a != a)
CMP(testp_normal_f64, f64, f64, fabs(a) < INFINITY && fabs(a) >= 0x1p-1022)
CMP(testp_subnormal_f64, f64, f64, fabs(a) > 0 && fabs(a) < 0x1p-1022)

/* Half precision and bfloat16, single and in pairs, as float.c lists them. h_ and b_ functions take
 * and return raw bits. */
#define X2(f, a, b) (((f)((a)&0xffffu, (b)&0xffffu) & 0xffffu) | (f)((a) >> 16, (b) >> 16) << 16)
#define X2C(f, a, b, c)                                                                            \
    (((f)((a)&0xffffu, (b)&0xffffu, (c)&0xffffu) & 0xffffu) | (f)((a) >> 16, (b) >> 16, (c) >> 16) \
                                                                  << 16)
#define X2A(f, a) (((f)((a)&0xffffu) & 0xffffu) | (f)((a) >> 16) << 16)
#define HALF1(P, T, name, expr)                                                                    \
    OP1(name##_##T, u16, u16, P##_##name(a))                                                       \
    OP1(name##_##T##x2, u32, u32, X2A(P##_##name, a))
#define HALF2(P, T, name, expr)                                                                    \
    OP2(name##_##T, u16, u16, u16, P##_##name(a, b))                                               \
    OP2(name##_##T##x2, u32, u32, u32, X2(P##_##name, a, b))
#define HALF3(P, T, name, expr)                                                                    \
    OP3(name##_##T, u16, u16, u16, u16, P##_##name(a, b, c))                                       \
    OP3(name##_##T##x2, u32, u32, u32, u32, X2C(P##_##name, a, b, c))
#define HALF_SIGN HALF1
HALVES(h, f16)
HALVES(b, bf16)
OP1(ftz_f16, u16, u16, (a & 0x7c00u) ? a : a & 0x8000u)
OP1(ftz_f16x2, u32, u32, X2A(h_ftz, a))

/* Conversions: cvt_TO_FROM. Float to integer truncates and clamps. NaN gives 0 if neither the
 * source is f64 nor the result has 64 bits, else only the highest bit (measured on an H200). */
OP1(cvt_f64_f32, f64, f32, (double)a)
OP1(cvt_f32_f64, f32, f64, (float)a)
OP1(cvt_f32_f16, f32, h16, sg_nan(a))
OP1(cvt_f32_bf16, f32, b16, a)
OP1(cvt_f64_f16, f64, h16, (double)a)
OP1(cvt_f64_bf16, f64, b16, (double)a)
OP1(cvt_f16_f32, h16, f32, a)
OP1(cvt_bf16_f32, b16, f32, a)
OP1(cvt_f16_f64, u16, f64, fp_half_of(a))
OP1(cvt_bf16_f64, b16, f64, fp_narrow_odd(a))
OP1(cvt_tf32_f32, u32, u32, ((a & 0x7fffffffu) > 0x7f800000u ? a : a + 0x1000u) & 0xffffe000u)
OP2(cvt_f16x2_f32, u32, f32, f32, sg_f2h(a) << 16 | sg_f2h(b))
OP2(cvt_bf16x2_f32, u32, f32, f32, sg_f2b(a) << 16 | sg_f2b(b))
#define FP8(T)                                                                                     \
    OP2(cvt_##T##x2_f32, u16, f32, f32, sg_f2##T(a) << 8 | sg_f2##T(b))                            \
    OP1(cvt_##T##x2_f16x2, u16, u32,                                                               \
        sg_f2##T(sg_h2f(a >> 16)) << 8 | sg_f2##T(sg_h2f(a & 0xffffu)))                            \
    OP1(cvt_f16x2_##T##x2, u32, u16, sg_##T##h(a >> 8) << 16 | sg_##T##h(a & 0xffu))
FP8(e4m3)
FP8(e5m2)
OP1(cvt_f32_s32, f32, s32, (float)a)
OP1(cvt_f32_u32, f32, u32, (float)a)
OP1(cvt_f32_s64, f32, s64, (float)a)
OP1(cvt_f32_u64, f32, u64, (float)a)
OP1(cvt_f64_s32, f64, s32, (double)a)
OP1(cvt_f64_u32, f64, u32, (double)a)
OP1(cvt_f64_s64, f64, s64, (double)a)
OP1(cvt_f64_u64, f64, u64, (double)a)
OP1(cvt_s32_f32, s32, f32,
    a >= 0x1p31f    ? INT32_MAX
    : a >= -0x1p31f ? (int32_t)a
    : a != a        ? 0
                    : INT32_MIN)
OP1(cvt_u32_f32, u32, f32, a >= 0x1p32f ? UINT32_MAX : a > 0 ? (uint32_t)a : 0)
OP1(cvt_s64_f32, s64, f32, a >= 0x1p63f ? INT64_MAX : a >= -0x1p63f ? (int64_t)a : INT64_MIN)
OP1(cvt_u64_f32, u64, f32,
    a >= 0x1p64f ? UINT64_MAX
    : a > 0      ? (uint64_t)a
    : a != a     ? 1ull << 63
                 : 0)
OP1(cvt_s32_f64, s32, f64, a >= 0x1p31 ? INT32_MAX : a >= -0x1p31 ? (int32_t)a : INT32_MIN)
OP1(cvt_u32_f64, u32, f64, a >= 0x1p32 ? UINT32_MAX : a > 0 ? (uint32_t)a : a != a ? 1u << 31 : 0)
OP1(cvt_u16_f64, s32, f64, a >= 0x1p16 ? 0xffff : a > 0 ? (int32_t)a : a != a ? 0x8000 : 0)
OP1(cvt_u8_f64, s32, f64, a >= 0x1p8 ? 0xff : a > 0 ? (int32_t)a : a != a ? 0x80 : 0)
OP1(cvt_s64_f64, s64, f64, a >= 0x1p63 ? INT64_MAX : a >= -0x1p63 ? (int64_t)a : INT64_MIN)
OP1(cvt_u64_f64, u64, f64, a >= 0x1p64 ? UINT64_MAX : a > 0 ? (uint64_t)a : a != a ? 1ull << 63 : 0)
OP1(rint_f32, f32, f32, sg_nan(rintf(a)))
OP1(trunc_f32, f32, f32, sg_nan(truncf(a)))
OP1(floor_f32, f32, f32, sg_nan(floorf(a)))
OP1(ceil_f32, f32, f32, sg_nan(ceilf(a)))
OP1(rint_f64, f64, f64, rint(a))
OP1(trunc_f64, f64, f64, trunc(a))
OP1(floor_f64, f64, f64, floor(a))
OP1(ceil_f64, f64, f64, ceil(a))
