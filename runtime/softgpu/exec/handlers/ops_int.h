/* ops_int.h: integer instructions as a list: OP1/OP2/OP3(name, types of result and operands,
 * expression), CMP(name, types, expression). Included twice, for the functions and for the table.
 */

#define ADDSUB(T)                                                                                  \
    OP2(add_##T, T, T, T, a + b)                                                                   \
    OP2(sub_##T, T, T, T, a - b)                                                                   \
    OP2(and_##T, T, T, T, a &b)                                                                    \
    OP2(or_##T, T, T, T, a | b)                                                                    \
    OP2(xor_##T, T, T, T, a ^ b)                                                                   \
    OP1(not_##T, T, T, ~a)                                                                         \
    OP1(cnot_##T, T, T, a == 0)                                                                    \
    OP1(mov_##T, T, T, a)
ADDSUB(u16)
ADDSUB(u32)
ADDSUB(u64)

OP2(mul_lo_u16, u16, u16, u16, (uint32_t)a *b)
OP2(mul_lo_u32, u32, u32, u32, a *b)
OP2(mul_lo_u64, u64, u64, u64, a *b)
OP2(mul_hi_u16, u16, u16, u16, (uint32_t)a *b >> 16)
OP2(mul_hi_s16, s16, s16, s16, (int32_t)a *b >> 16)
OP2(mul_hi_u32, u32, u32, u32, (uint64_t)a *b >> 32)
OP2(mul_hi_s32, s32, s32, s32, (int64_t)a *b >> 32)
OP2(mul_hi_u64, u64, u64, u64, (unsigned __int128)a *b >> 64)
OP2(mul_hi_s64, s64, s64, s64, (__int128)a *b >> 64)
OP2(mul_wide_u16, u32, u16, u16, (uint32_t)a *b)
OP2(mul_wide_s16, s32, s16, s16, (int32_t)a *b)
OP2(mul_wide_u32, u64, u32, u32, (uint64_t)a *b)
OP2(mul_wide_s32, s64, s32, s32, (int64_t)a *b)
OP2(mul24_lo_u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff))
OP2(mul24_lo_s32, s32, s32, s32, (uint32_t)(int_s24(a) * (int64_t)int_s24(b)))
OP2(mul24_hi_u32, u32, u32, u32, (uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16)
OP2(mul24_hi_s32, s32, s32, s32, (int64_t)int_s24(a) * int_s24(b) >> 16)

OP3(mad_lo_u16, u16, u16, u16, u16, (uint32_t)a *b + c)
OP3(mad_lo_u32, u32, u32, u32, u32, a *b + c)
OP3(mad_lo_u64, u64, u64, u64, u64, a *b + c)
OP3(mad_hi_u16, u16, u16, u16, u16, ((uint32_t)a * b >> 16) + c)
OP3(mad_hi_s16, s16, s16, s16, s16, ((int32_t)a * b >> 16) + c)
OP3(mad_hi_u32, u32, u32, u32, u32, ((uint64_t)a * b >> 32) + c)
OP3(mad_hi_s32, u32, s32, s32, u32, (uint32_t)((int64_t)a *b >> 32) + c)
OP3(mad_hi_u64, u64, u64, u64, u64, (uint64_t)((unsigned __int128)a *b >> 64) + c)
OP3(mad_hi_s64, u64, s64, s64, u64, (uint64_t)((__int128)a *b >> 64) + c)
OP3(mad_wide_u16, u32, u16, u16, u32, (uint32_t)a *b + c)
OP3(mad_wide_s16, u32, s16, s16, u32, (uint32_t)((int32_t)a *b) + c)
OP3(mad_wide_u32, u64, u32, u32, u64, (uint64_t)a *b + c)
OP3(mad_wide_s32, u64, s32, s32, u64, (uint64_t)((int64_t)a *b) + c)
OP3(mad24_lo_u32, u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c)
OP3(mad24_lo_s32, u32, s32, s32, u32, (uint32_t)(int_s24(a) * (int64_t)int_s24(b)) + c)
OP3(mad24_hi_u32, u32, u32, u32, u32,
    (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16) + c)
OP3(mad24_hi_s32, u32, s32, s32, u32, (uint32_t)((int64_t)int_s24(a) * int_s24(b) >> 16) + c)

/* Division by zero gives all ones, as on the hardware. PTX leaves it undefined. */
#define DIVREM(U, S, BITS)                                                                         \
    OP2(div_##U, U, U, U, b ? a / b : (v_##U) - 1)                                                 \
    OP2(rem_##U, U, U, U, b ? a % b : a)                                                           \
    OP2(div_##S, S, S, S, b == 0 ? -1 : b == -1 ? (v_##S)(-(v_##U)a) : a / b)                      \
    OP2(rem_##S, S, S, S, b == 0 ? a : b == -1 ? 0 : a % b)                                        \
    OP1(neg_##S, S, S, (v_##S)(-(v_##U)a))                                                         \
    OP1(abs_##S, S, S, a < 0 ? (v_##S)(-(v_##U)a) : a)                                             \
    OP2(min_##U, U, U, U, a < b ? a : b)                                                           \
    OP2(max_##U, U, U, U, a > b ? a : b)                                                           \
    OP2(min_##S, S, S, S, a < b ? a : b)                                                           \
    OP2(max_##S, S, S, S, a > b ? a : b)                                                           \
    OP2(shl_##U, U, U, u32, b >= BITS ? 0 : a << (b & (BITS - 1)))                                 \
    OP2(shr_##U, U, U, u32, b >= BITS ? 0 : a >> (b & (BITS - 1)))                                 \
    OP2(shr_##S, S, S, u32, a >> (b >= BITS ? BITS - 1 : b & (BITS - 1)))                          \
    OP3(sad_##U, U, U, U, U, c + (a < b ? b - a : a - b))                                          \
    OP3(sad_##S, U, S, S, U, c + (a < b ? (v_##U)b - (v_##U)a : (v_##U)a - (v_##U)b))              \
    OP3(selp_##U, U, U, U, u32, c ? a : b)                                                         \
    OP3(slct_##U##_s32, U, U, U, s32, c >= 0 ? a : b)                                              \
    OP3(slct_##U##_f32, U, U, U, f32, c >= 0 ? a : b)                                              \
    CMP(setp_eq_##U, U, U, a == b)                                                                 \
    CMP(setp_ne_##U, U, U, a != b)                                                                 \
    CMP(setp_lt_##U, U, U, a < b)                                                                  \
    CMP(setp_le_##U, U, U, a <= b)                                                                 \
    CMP(setp_gt_##U, U, U, a > b)                                                                  \
    CMP(setp_ge_##U, U, U, a >= b)                                                                 \
    CMP(setp_lt_##S, S, S, a < b)                                                                  \
    CMP(setp_le_##S, S, S, a <= b)                                                                 \
    CMP(setp_gt_##S, S, S, a > b)                                                                  \
    CMP(setp_ge_##S, S, S, a >= b)
DIVREM(u16, s16, 16)
DIVREM(u32, s32, 32)
DIVREM(u64, s64, 64)

OP2(add_sat_s32, s32, s32, s32, int_clamp((int64_t)a + b))
OP2(sub_sat_s32, s32, s32, s32, int_clamp((int64_t)a - b))
OP3(mad_hi_sat_s32, s32, s32, s32, s32, int_clamp(((int64_t)a * b >> 32) + c))
OP2(min_relu_s32, s32, s32, s32, int_relu(a < b ? a : b))
OP2(max_relu_s32, s32, s32, s32, int_relu(a > b ? a : b))

/* Pairs of 16-bit halves. */
OP2(add_u16x2, u32, u32, u32, ((a + b) & 0xffff) | ((a & 0xffff0000u) + (b & 0xffff0000u)))
OP2(min_u16x2, u32, u32, u32, int_min_u16x2(a, b))
OP2(max_u16x2, u32, u32, u32, int_max_u16x2(a, b))
OP2(min_s16x2, u32, u32, u32, int_min_s16x2(a, b))
OP2(max_s16x2, u32, u32, u32, int_max_s16x2(a, b))

OP1(popc_b32, u32, u32, __builtin_popcount(a))
OP1(popc_b64, u32, u64, __builtin_popcountll(a))
OP1(clz_b32, u32, u32, a ? __builtin_clz(a) : 32)
OP1(clz_b64, u32, u64, a ? __builtin_clzll(a) : 64)
OP1(brev_b32, u32, u32, int_brev(a))
OP1(brev_b64, u64, u64, (uint64_t)int_brev((uint32_t)a) << 32 | int_brev((uint32_t)(a >> 32)))
OP1(bfind_u32, u32, u32, a ? 31u - (uint32_t)__builtin_clz(a) : ~0u)
OP1(bfind_s32, u32, u32, (a ^ -(a >> 31)) ? 31u - (uint32_t)__builtin_clz(a ^ -(a >> 31)) : ~0u)
OP1(bfind_u64, u32, u64, a ? 63u - (uint32_t)__builtin_clzll(a) : ~0u)
OP1(bfind_s64, u32, u64, (a ^ -(a >> 63)) ? 63u - (uint32_t)__builtin_clzll(a ^ -(a >> 63)) : ~0u)
OP1(bfind_shiftamt_u32, u32, u32, a ? (uint32_t)__builtin_clz(a) : ~0u)
OP1(bfind_shiftamt_s32, u32, u32, (a ^ -(a >> 31)) ? (uint32_t)__builtin_clz(a ^ -(a >> 31)) : ~0u)
OP1(bfind_shiftamt_u64, u32, u64, a ? (uint32_t)__builtin_clzll(a) : ~0u)
OP1(bfind_shiftamt_s64, u32, u64,
    (a ^ -(a >> 63)) ? (uint32_t)__builtin_clzll(a ^ -(a >> 63)) : ~0u)
OP3(bfe_u32, u32, u32, u32, u32, int_bfe(a, b, c, 32, 0))
OP3(bfe_s32, u32, u32, u32, u32, int_bfe(a, b, c, 32, 1))
OP3(bfe_u64, u64, u64, u32, u32, int_bfe(a, b, c, 64, 0))
OP3(bfe_s64, u64, u64, u32, u32, int_bfe(a, b, c, 64, 1))
OP2(bmsk_clamp_b32, u32, u32, u32, int_bmsk(a, b))
OP2(bmsk_wrap_b32, u32, u32, u32, int_bmsk(a & 31, b & 31))
OP2(szext_clamp_u32, u32, u32, u32, b >= 32 ? a : int_bfe(a, 0, b, 32, 0))
OP2(szext_wrap_u32, u32, u32, u32, int_bfe(a, 0, b & 31, 32, 0))
OP2(szext_clamp_s32, u32, u32, u32, b >= 32 ? a : int_bfe(a, 0, b, 32, 1))
OP2(szext_wrap_s32, u32, u32, u32, int_bfe(a, 0, b & 31, 32, 1))
OP3(shf_l_clamp_b32, u32, u32, u32, u32, int_shl64(a, b, c > 32 ? 32 : c))
OP3(shf_l_wrap_b32, u32, u32, u32, u32, int_shl64(a, b, c & 31))
OP3(shf_r_clamp_b32, u32, u32, u32, u32, ((uint64_t)b << 32 | a) >> (c > 32 ? 32 : c))
OP3(shf_r_wrap_b32, u32, u32, u32, u32, ((uint64_t)b << 32 | a) >> (c & 31))
OP3(prmt_b32, u32, u32, u32, u32, int_prmt(a, b, c))
OP3(prmt_f4e_b32, u32, u32, u32, u32, (uint32_t)(((uint64_t)b << 32 | a) >> 8 * (c & 3)))
OP3(prmt_b4e_b32, u32, u32, u32, u32, int_prmt_mode(a, b, c, 1))
OP3(prmt_rc8_b32, u32, u32, u32, u32, (a >> 8 * (c & 3) & 0xff) * 0x01010101u)
OP3(prmt_ecl_b32, u32, u32, u32, u32, int_prmt_mode(a, b, c, 2))
OP3(prmt_ecr_b32, u32, u32, u32, u32, int_prmt_mode(a, b, c, 3))
OP3(prmt_rc16_b32, u32, u32, u32, u32, (a >> 16 * (c & 1) & 0xffff) * 0x00010001u)

OP3(dp4a_u32_u32, u32, u32, u32, u32, c + int_dp4a(a, b, 0, 0))
OP3(dp4a_u32_s32, u32, u32, u32, u32, c + int_dp4a(a, b, 0, 1))
OP3(dp4a_s32_u32, u32, u32, u32, u32, c + int_dp4a(a, b, 1, 0))
OP3(dp4a_s32_s32, u32, u32, u32, u32, c + int_dp4a(a, b, 1, 1))
OP3(dp2a_lo_u32_u32, u32, u32, u32, u32, c + int_dp2a(a, b, 0, 0, 0))
OP3(dp2a_lo_u32_s32, u32, u32, u32, u32, c + int_dp2a(a, b, 0, 0, 1))
OP3(dp2a_lo_s32_u32, u32, u32, u32, u32, c + int_dp2a(a, b, 0, 1, 0))
OP3(dp2a_lo_s32_s32, u32, u32, u32, u32, c + int_dp2a(a, b, 0, 1, 1))
OP3(dp2a_hi_u32_u32, u32, u32, u32, u32, c + int_dp2a(a, b, 2, 0, 0))
OP3(dp2a_hi_u32_s32, u32, u32, u32, u32, c + int_dp2a(a, b, 2, 0, 1))
OP3(dp2a_hi_s32_u32, u32, u32, u32, u32, c + int_dp2a(a, b, 2, 1, 0))
OP3(dp2a_hi_s32_s32, u32, u32, u32, u32, c + int_dp2a(a, b, 2, 1, 1))

/* Absolute differences of four bytes: in place, or added to c. */
OP3(vabsdiff4_u32, u32, u32, u32, u32, int_absdiff4(a, b, 0, 0) + (c & 0))
OP3(vabsdiff4_s32, u32, u32, u32, u32, int_absdiff4(a, b, 1, 0) + (c & 0))
OP3(vabsdiff4_u32_add, u32, u32, u32, u32, c + int_absdiff4(a, b, 0, 1))
OP3(vabsdiff4_s32_add, u32, u32, u32, u32, c + int_absdiff4(a, b, 1, 1))

/* Widening and narrowing between lanes of 32 and 64 bits: x_FROM_TO. */
OP1(x_u8_32, u32, u32, (uint8_t)a)
OP1(x_s8_32, u32, u32, (uint32_t)(int8_t)a)
OP1(x_u16_32, u32, u32, (uint16_t)a)
OP1(x_s16_32, u32, u32, (uint32_t)(int16_t)a)
OP1(x_u8_64, u64, u32, (uint8_t)a)
OP1(x_s8_64, u64, u32, (uint64_t)(int8_t)a)
OP1(x_u16_64, u64, u32, (uint16_t)a)
OP1(x_s16_64, u64, u32, (uint64_t)(int16_t)a)
OP1(x_u32_64, u64, u32, a)
OP1(x_s32_64, u64, s32, (uint64_t)(int64_t)a)
OP1(x_64_32, u32, u64, a)

/* Halves of wider registers. */
OP2(pack_2x32, u64, u32, u32, (uint64_t)b << 32 | a)
OP2(pack_2x16, u32, u16, u16, (uint32_t)b << 16 | a)
OP2(pack_2x8, u16, u8, u8, (uint32_t)b << 8 | a)
OP1(high_32, u32, u64, a >> 32)
OP1(high_16, u16, u32, a >> 16)
OP1(high_8, u8, u16, a >> 8)

/* Saturating conversions: sat_FROM_TO clamps a value of FROM to the range of TO. */
OP1(sat_s32_u8, s32, s32, a<0 ? 0 : a> 255 ? 255 : a)
OP1(sat_s32_s8, s32, s32, a<-128 ? -128 : a> 127 ? 127 : a)
OP1(sat_s32_u16, s32, s32, a<0 ? 0 : a> 65535 ? 65535 : a)
OP1(sat_s32_s16, s32, s32, a<-32768 ? -32768 : a> 32767 ? 32767 : a)
OP1(sat_s32_u32, s32, s32, a < 0 ? 0 : a)
OP1(sat_u32_u8, u32, u32, a > 255 ? 255 : a)
OP1(sat_u32_s8, u32, u32, a > 127 ? 127 : a)
OP1(sat_u32_u16, u32, u32, a > 65535 ? 65535 : a)
OP1(sat_u32_s16, u32, u32, a > 32767 ? 32767 : a)
OP1(sat_u32_s32, u32, u32, a > 0x7fffffffu ? 0x7fffffffu : a)
OP1(sat_s64_u8, s64, s64, a<0 ? 0 : a> 255 ? 255 : a)
OP1(sat_s64_s8, s64, s64, a<-128 ? -128 : a> 127 ? 127 : a)
OP1(sat_s64_u16, s64, s64, a<0 ? 0 : a> 65535 ? 65535 : a)
OP1(sat_s64_s16, s64, s64, a<-32768 ? -32768 : a> 32767 ? 32767 : a)
OP1(sat_s64_u32, s64, s64, a<0 ? 0 : a> 0xffffffffll ? 0xffffffffll : a)
OP1(sat_s64_s32, s64, s64, a<INT32_MIN ? INT32_MIN : a> INT32_MAX ? INT32_MAX : a)
OP1(sat_s64_u64, s64, s64, a < 0 ? 0 : a)
OP1(sat_u64_u8, u64, u64, a > 255 ? 255 : a)
OP1(sat_u64_s8, u64, u64, a > 127 ? 127 : a)
OP1(sat_u64_u16, u64, u64, a > 65535 ? 65535 : a)
OP1(sat_u64_s16, u64, u64, a > 32767 ? 32767 : a)
OP1(sat_u64_u32, u64, u64, a > 0xffffffffull ? 0xffffffffull : a)
OP1(sat_u64_s32, u64, u64, a > 0x7fffffffull ? 0x7fffffffull : a)
OP1(sat_u64_s64, u64, u64, a > INT64_MAX ? INT64_MAX : a)
#undef ADDSUB
#undef DIVREM
