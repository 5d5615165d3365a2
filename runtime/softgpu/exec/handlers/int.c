/* int.c: handlers of integer and bit instructions (ops_int.h), constants, predicates and selection,
 * and instructions with a carry or four operands. PTX ISA, "Integer Arithmetic Instructions",
 * "Logic and Shift Instructions", "Comparison and Selection Instructions". */
#include "runtime/softgpu/exec/exec.h"

static inline int32_t int_clamp(int64_t x) {
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x;
}
/* Returns the low 24 bits as a signed number. */
static inline int64_t int_s24(int32_t x) {
    return (int32_t)((uint32_t)x << 8) >> 8;
}
static inline int32_t int_relu(int32_t x) {
    return x < 0 ? 0 : x;
}
static inline uint32_t int_pair(uint32_t lo, uint32_t hi) {
    return (lo & 0xffff) | hi << 16;
}
/* Both halves of a word: of each two, the better one. */
#define EACH_HALF(name, T, better)                                                                 \
    static inline uint32_t int_##name(uint32_t a, uint32_t b) {                                    \
        T al = (T)a, bl = (T)b, ah = (T)(a >> 16), bh = (T)(b >> 16);                              \
        return int_pair((uint16_t)(al better bl ? al : bl), (uint16_t)(ah better bh ? ah : bh));   \
    }
EACH_HALF(min_u16x2, uint16_t, <)
EACH_HALF(max_u16x2, uint16_t, >)
EACH_HALF(min_s16x2, int16_t, <)
EACH_HALF(max_s16x2, int16_t, >)
static inline uint32_t int_brev(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
/* Returns bits pos..pos+len-1 of a. Bits beyond the word are zero, or the sign: the field's top
 * bit, or bit msb if the field reaches beyond. */
static inline uint64_t int_bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t bits,
                               int is_signed) {
    pos &= 0xff;
    len &= 0xff;
    uint32_t top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    uint64_t sign = is_signed && len ? -(a >> top & 1) : 0;
    uint64_t field = pos < bits ? a >> pos : 0;
    uint32_t have = pos >= bits ? 0 : bits - pos < len ? bits - pos : len;
    uint64_t keep = have >= 64 ? ~0ull : (1ull << have) - 1;
    return len == 0 ? 0 : (field & keep) | (sign & ~keep);
}
static inline uint64_t int_bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t bits) {
    pos &= 0xff;
    len &= 0xff;
    if (pos >= bits || len == 0)
        return b;
    uint64_t keep = len >= 64 ? ~0ull : (1ull << len) - 1;
    return (b & ~(keep << pos)) | (a & keep) << pos;
}
static inline uint32_t int_bmsk(uint32_t pos, uint32_t len) {
    uint64_t mask = len >= 32 ? 0xffffffffu : (1ull << len) - 1;
    return pos >= 32 ? 0 : (uint32_t)(mask << pos);
}
static inline uint32_t int_shl64(uint32_t lo, uint32_t hi, uint32_t n) {
    return (uint32_t)(((uint64_t)hi << 32 | lo) << n >> 32);
}
static inline uint32_t int_prmt(uint32_t a, uint32_t b, uint32_t selectors) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t select = selectors >> 4 * k & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (select & 7)) & 0xff;
        byte = select & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
        out |= byte << 8 * k;
    }
    return out;
}
/* b4e (1): 4 bytes backwards from byte c; ecl (2), ecr (3): edge clamped left and right. */
static inline uint32_t int_prmt_mode(uint32_t a, uint32_t b, uint32_t c, int mode) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t out = 0, s = c & 3;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t from = mode == 1 ? (s - k) & 7 : mode == 2 ? (k > s ? k : s) : (k < s ? k : s);
        out |= ((uint32_t)(bytes >> 8 * from) & 0xff) << 8 * k;
    }
    return out;
}
static inline uint32_t int_absdiff4(uint32_t a, uint32_t b, int is_signed, int sum) {
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        int32_t x = is_signed ? (int8_t)(a >> 8 * k) : (uint8_t)(a >> 8 * k);
        int32_t y = is_signed ? (int8_t)(b >> 8 * k) : (uint8_t)(b >> 8 * k);
        uint32_t d = (uint32_t)(x < y ? y - x : x - y);
        out += sum ? d : d << 8 * k;
    }
    return out;
}
static inline uint32_t int_dp4a(uint32_t a, uint32_t b, int sa, int sb) {
    uint32_t sum = 0;
    for (int k = 0; k < 4; k++) {
        int32_t x = sa ? (int8_t)(a >> 8 * k) : (uint8_t)(a >> 8 * k);
        int32_t y = sb ? (int8_t)(b >> 8 * k) : (uint8_t)(b >> 8 * k);
        sum += (uint32_t)(x * y);
    }
    return sum;
}
static inline uint32_t int_dp2a(uint32_t a, uint32_t b, int from, int sa, int sb) {
    uint32_t sum = 0;
    for (int k = 0; k < 2; k++) {
        int32_t x = sa ? (int16_t)(a >> 16 * k) : (uint16_t)(a >> 16 * k);
        int32_t y = sb ? (int8_t)(b >> 8 * (from + k)) : (uint8_t)(b >> 8 * (from + k));
        sum += (uint32_t)(x * y);
    }
    return sum;
}

#define OP1 DEF1
#define OP2 DEF2
#define OP3 DEF3
#define CMP DEFP_BR
#include "runtime/softgpu/exec/handlers/ops_int.h"
#undef OP1
#undef OP2
#undef OP3
#undef CMP

/* mad with an immediate factor or addend, common in address arithmetic. */
#define MADI(name, D, A, C)                                                                        \
    TWICE(name##_bi, DST(D); SRC(A, a); SRC(C, c); v_##A b = IMM_##A(ip);                          \
          EACH(D, name##_x(GET_##A(a_[i]), b, GET_##C(c_[i]))))
MADI(mad_lo_u32, u32, u32, u32)
MADI(mad_wide_u32, u64, u32, u64)
MADI(mad_wide_s32, u64, s32, u64)

/* Constants and selection by a predicate. */
#define SETI(T)                                                                                    \
    TWICE(movi_##T, DST(T); l_##T x = (l_##T)ip->imm; EACH(T, x))                                  \
    TWICE(sel_##T, DST(T); SRC(T, a); SRC(T, b);                                                   \
          uint32_t p = PRED(ip->c) ^ -(uint32_t)(ip->flags & SG_F_NEGATE);                         \
          EACH(T, p & (1u << i) ? a_[i] : b_[i]))
SETI(u32)
SETI(u64)

/* Predicates: d = a OP b, over masks; e: bit 0 negates a, bit 1 negates b. */
#define PREDOP(name, expr)                                                                         \
    TWICE(name, uint32_t a = PRED(ip->a) ^ -(uint32_t)(ip->e & 1);                                 \
          uint32_t b = PRED(ip->b) ^ -(uint32_t)(ip->e >> 1 & 1); (void)a; (void)b;                \
          SET_PRED(expr); GOTO(ip + 1, full);)
PREDOP(pred_mov, a)
PREDOP(pred_and, a &b)
PREDOP(pred_or, a | b)
PREDOP(pred_xor, a ^ b)
PREDOP(pred_set, (uint32_t)ip->imm)

/* ---- four operands, or a carry: loops over active lanes only ------------------------------- */

HANDLER(bfi_b32) {
    const w32 *a = (w32 *)(r + ip->a), *b = (w32 *)(r + ip->b), *c = (w32 *)(r + ip->c);
    const w32 *e = (w32 *)(r + ip->e);
    w32 *d = (w32 *)(r + ip->d);
    EACH_LANE d[i] = (uint32_t)int_bfi(a[i], b[i], c[i], e[i], 32);
    GOTO(ip + 1, w->full);
}
HANDLER(bfi_b64) {
    const w64 *a = (w64 *)(r + ip->a), *b = (w64 *)(r + ip->b);
    const w32 *c = (w32 *)(r + ip->c), *e = (w32 *)(r + ip->e);
    w64 *d = (w64 *)(r + ip->d);
    EACH_LANE d[i] = int_bfi(a[i], b[i], c[i], e[i], 64);
    GOTO(ip + 1, w->full);
}

/* lop3: the function of three bits with truth table imm, as a sum of its minterms. */
static inline uint32_t int_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t x = 0;
    for (uint32_t k = 0; k < 8; k++)
        x |= -(table >> k & 1) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return x;
}
TWICE(lop3_b32, DST(u32); SRC(u32, a); SRC(u32, b); SRC(u32, c);
      EACH(u32, int_lop3(a_[i], b_[i], c_[i], (uint32_t)ip->imm)))

/* The carry flag CC.CF is a predicate of the frame at ip->e. mode: 1 reads it, 2 writes it. */
#define CARRY(name, W, WIDE, expr, carry_out)                                                      \
    HANDLER(name) {                                                                                \
        const W *a_ = (W *)(r + ip->a), *b_ = (W *)(r + ip->b), *c_ = (W *)(r + ip->c);            \
        W *d_ = (W *)(r + ip->d);                                                                  \
        uint32_t flag = PRED(ip->e), out = flag;                                                   \
        EACH_LANE {                                                                                \
            WIDE a = a_[i], b = b_[i], c = c_[i], cf = ip->mode & 1 ? flag >> i & 1 : 0;           \
            (void)c;                                                                               \
            WIDE x = expr;                                                                         \
            d_[i] = (W)x;                                                                          \
            out = (out & ~(1u << i)) | (uint32_t)(carry_out) << i;                                 \
        }                                                                                          \
        if (ip->mode & 2)                                                                          \
            PRED(ip->e) = out;                                                                     \
        GOTO(ip + 1, w->full);                                                                     \
    }
typedef unsigned __int128 u128;
CARRY(addc_32, w32, uint64_t, a + b + cf, x >> 32 & 1)
CARRY(addc_64, w64, u128, a + b + cf, x >> 64 & 1)
CARRY(subc_32, w32, uint64_t, a - b - cf, x >> 32 & 1)
CARRY(subc_64, w64, u128, a - b - cf, x >> 64 & 1)
CARRY(madc_lo_32, w32, uint64_t, (uint32_t)(a *b) + c + cf, x >> 32 & 1)
CARRY(madc_hi_u32, w32, uint64_t, (a * b >> 32) + c + cf, x >> 32 & 1)
CARRY(madc_hi_s32, w32, uint64_t,
      (uint64_t)(uint32_t)((int64_t)(int32_t)a *(int32_t)b >> 32) + c + cf, x >> 32 & 1)
CARRY(madc_lo_64, w64, u128, (uint64_t)(a *b) + c + cf, x >> 64 & 1)
CARRY(madc_hi_u64, w64, u128, (a * b >> 64) + c + cf, x >> 64 & 1)
CARRY(madc_hi_s64, w64, u128, (uint64_t)((__int128)(int64_t)a *(int64_t)b >> 64) + c + cf,
      x >> 64 & 1)

/* Finds the n-th set bit of a mask from a position on; PTX ISA, "fns". */
HANDLER(fns_b32) {
    const w32 *a = (w32 *)(r + ip->a), *b = (w32 *)(r + ip->b), *c = (w32 *)(r + ip->c);
    w32 *d = (w32 *)(r + ip->d);
    EACH_LANE {
        int32_t n = (int32_t)c[i], at = (int32_t)(b[i] & 31), found = -1;
        int step = n < 0 ? -1 : 1;
        int32_t want = n == 0 ? 1 : n < 0 ? -n : n;
        for (int32_t k = at; k >= 0 && k < 32 && want; k += step) {
            if (a[i] >> k & 1) {
                if (--want == 0)
                    found = k;
            } else if (n == 0) {
                break;
            }
        }
        d[i] = (uint32_t)found;
    }
    GOTO(ip + 1, w->full);
}

const sg_entry SG_TABLE(int)[] = {
#define OP1 ROW1
#define OP2 ROW2
#define OP3 ROW1
#define CMP ROWP
#include "runtime/softgpu/exec/handlers/ops_int.h"
    PAIR(mad_lo_u32_bi) PAIR(mad_wide_u32_bi) PAIR(mad_wide_s32_bi) PAIR(movi_u32) PAIR(movi_u64)
        PAIR(sel_u32) PAIR(sel_u64) PAIR(pred_mov) PAIR(pred_and) PAIR(pred_or) PAIR(pred_xor)
            PAIR(pred_set) BOTH(bfi_b32) BOTH(bfi_b64) PAIR(lop3_b32) BOTH(fns_b32) BOTH(addc_32)
                BOTH(addc_64) BOTH(subc_32) BOTH(subc_64) BOTH(madc_lo_32) BOTH(madc_hi_u32)
                    BOTH(madc_hi_s32) BOTH(madc_lo_64) BOTH(madc_hi_u64)
                        BOTH(madc_hi_s64){NULL, NULL, NULL}};
