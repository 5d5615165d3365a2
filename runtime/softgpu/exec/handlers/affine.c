/* affine.c: handlers of affine registers (lower/affine.c). If all live lanes run and the sources
 * have records, the result is a record. Otherwise they work lane by lane like other handlers.
 * ip->d, a, b, c are the places of the lanes; AFFINE() finds the record before them. Records of
 * 32-bit registers hold base and step modulo 2^32. */
#include "runtime/softgpu/exec/handlers/mem.h"

/* Fills the lanes of a 64- or 32-bit register if only its record is valid. */
#define SPREAD_64(slot) sg_spread(r, ip->slot)
#define SPREAD_32(slot) sg_spread32(r, ip->slot)
HANDLER(spread_64) {
    SPREAD_64(a);
    GOTO(ip + 1, w->full);
}
HANDLER(spread_32) {
    SPREAD_32(a);
    GOTO(ip + 1, w->full);
}

INLINE void set_record(sg_affine *d, uint64_t base, uint64_t step) {
    d->base = base;
    d->step = step;
    d->lanewise = d->spread = 0;
}

/* True if a record can hold a register that the running lanes write: no lane waits elsewhere with a
 * value of its own. Lanes that have exited, or that the block lacks, do not count. */
#define RECORDABLE (full || (ip->flags & SG_F_BRIEF) || w->mask == w->live)

/* Stores lanes, and invalidates the record. Under a mask, inactive lanes keep their values. */
#define STORE_LANES(N, expr)                                                                       \
    w##N *d = (w##N *)(r + ip->d);                                                                 \
    const int32_t *on = w->on;                                                                     \
    if (w->full) {                                                                                 \
        LANES d[i] = (expr);                                                                       \
    } else {                                                                                       \
        SPREAD_##N(d);                                                                             \
        LANES d[i] = on[i] ? (expr) : d[i];                                                        \
    }                                                                                              \
    AFFINE(ip->d)->lanewise = 1;                                                                   \
    GOTO(ip + 1, w->full)

/* ---- values from other places --------------------------------------------------------------- */

/* The same value in all lanes. */
#define UNIFORM_VALUE(name, N, value)                                                              \
    TWICE(                                                                                         \
        name, w##N x = (w##N)(value); if (RECORDABLE) {                                            \
            set_record(AFFINE(ip->d), x, 0);                                                       \
            GOTO(ip + 1, full);                                                                    \
        } STORE_LANES(N, x);)
static inline uint32_t param_32(const sg_warp *w, uint64_t offset) {
    uint32_t x;
    memcpy(&x, w->params + offset, 4);
    return x;
}
static inline uint64_t param_64(const sg_warp *w, uint64_t offset) {
    uint64_t x;
    memcpy(&x, w->params + offset, 8);
    return x;
}
UNIFORM_VALUE(affine_mov_32_i, 32, (uint32_t)ip->imm)
UNIFORM_VALUE(affine_mov_64_i, 64, ip->imm)
UNIFORM_VALUE(affine_param_32, 32, param_32(w, ip->imm))
UNIFORM_VALUE(affine_param_64, 64, param_64(w, ip->imm))
UNIFORM_VALUE(affine_block_32, 32, w->block->pos[ip->e])

/* Makes a record if lanes at ip->a that another handler has filled rise by one step. The lanes are
 * the result's own (affine_open before that handler, affine_close after it), or those of another
 * place. */
#define FROM_LANES(N, U)                                                                           \
    HANDLER(affine_take_##N##_m) {                                                                 \
        const w##N *a = (const w##N *)(r + ip->a);                                                 \
        U rise = w->mask & 2 ? a[1] - a[0] : 0;                                                    \
        if (w->mask == w->live && (w->mask & 1) && strided##N(a, a[0], rise, w->mask, w->on)) {    \
            set_record(AFFINE(ip->d), a[0], rise);                                                 \
            GOTO(ip + 1, 0);                                                                       \
        }                                                                                          \
        STORE_LANES(N, a[i]);                                                                      \
    }                                                                                              \
    HANDLER(affine_take_##N##_f) {                                                                 \
        const w##N *a = (const w##N *)(r + ip->a);                                                 \
        U step = a[1] - a[0];                                                                      \
        if (!strided##N(a, a[0], step, SG_ALL, NULL))                                              \
            TAIL(affine_take_##N##_m);                                                             \
        set_record(AFFINE(ip->d), a[0], step);                                                     \
        GOTO(ip + 1, 1);                                                                           \
    }                                                                                              \
    HANDLER(affine_open_##N) {                                                                     \
        SPREAD_##N(d);                                                                             \
        AFFINE(ip->d)->lanewise = 1;                                                               \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    HANDLER(affine_close_##N##_m) {                                                                \
        GOTO(ip + 1, 0);                                                                           \
    }                                                                                              \
    HANDLER(affine_close_##N##_f) {                                                                \
        const w##N *a = (const w##N *)(r + ip->d);                                                 \
        U step = a[1] - a[0];                                                                      \
        if (strided##N(a, a[0], step, SG_ALL, NULL)) {                                             \
            set_record(AFFINE(ip->d), a[0], step);                                                 \
            AFFINE(ip->d)->spread = 1;                                                             \
        }                                                                                          \
        GOTO(ip + 1, 1);                                                                           \
    }
FROM_LANES(32, uint32_t)
FROM_LANES(64, uint64_t)

/* ---- functions of one to three records ------------------------------------------------------ */

/* Parameters: FILL fills the sources' lanes; HAVE tells whether the result has a record; its base
 * and step; one lane. Under a mask a record is possible too if inactive lanes are never read
 * (SG_F_BRIEF). */
#define RECORDS(name, N, U, FILL, HAVE, BASE, STEP, lane)                                          \
    SLOW_HANDLER(name##_each) {                                                                    \
        FILL;                                                                                      \
        STORE_LANES(N, lane);                                                                      \
    }                                                                                              \
    TWICE(name, const sg_affine *a = AFFINE(ip->a);                                                \
          if (!(RECORDABLE && (HAVE))) TAIL(name##_each);                                          \
          set_record(AFFINE(ip->d), (U)(BASE), (U)(STEP)); GOTO(ip + 1, full);)
#define B AFFINE(ip->b)
#define C AFFINE(ip->c)
#define ONE_64 SPREAD_64(a)
#define ONE_32 SPREAD_32(a)
#define TWO_64                                                                                     \
    SPREAD_64(a);                                                                                  \
    SPREAD_64(b)
#define TWO_32                                                                                     \
    SPREAD_32(a);                                                                                  \
    SPREAD_32(b)
#define THREE_64                                                                                   \
    TWO_64;                                                                                        \
    SPREAD_64(c)
#define THREE_32                                                                                   \
    TWO_32;                                                                                        \
    SPREAD_32(c)
#define OUTER_64                                                                                   \
    SPREAD_64(a);                                                                                  \
    SPREAD_64(c)
#define OUTER_32                                                                                   \
    SPREAD_32(a);                                                                                  \
    SPREAD_32(c)
/* A product has a step if one factor is uniform. */
#define PRODUCT (!(a->lanewise | B->lanewise) && (!a->step || !B->step))
#define PRODUCT_STEP (a->base * B->step + a->step * B->base)
#define RING(N, U)                                                                                 \
    RECORDS(affine_mov_##N, N, U, ONE_##N, !a->lanewise, a->base, a->step, L(N, a))                \
    RECORDS(affine_add_##N##_i, N, U, ONE_##N, !a->lanewise, a->base + ip->imm, a->step,           \
            L(N, a) + (U)ip->imm)                                                                  \
    RECORDS(affine_sub_##N##_i, N, U, ONE_##N, !a->lanewise, a->base - ip->imm, a->step,           \
            L(N, a) - (U)ip->imm)                                                                  \
    RECORDS(affine_mul_##N##_i, N, U, ONE_##N, !a->lanewise, a->base * ip->imm, a->step * ip->imm, \
            L(N, a) * (U)ip->imm)                                                                  \
    RECORDS(affine_add_##N, N, U, TWO_##N, !(a->lanewise | B->lanewise), a->base + B->base,        \
            a->step + B->step, L(N, a) + L(N, b))                                                  \
    RECORDS(affine_sub_##N, N, U, TWO_##N, !(a->lanewise | B->lanewise), a->base - B->base,        \
            a->step - B->step, L(N, a) - L(N, b))                                                  \
    RECORDS(affine_mul_##N, N, U, TWO_##N, PRODUCT, a->base * B->base, PRODUCT_STEP,               \
            L(N, a) * L(N, b))                                                                     \
    RECORDS(affine_mad_##N, N, U, THREE_##N, PRODUCT && !C->lanewise, a->base * B->base + C->base, \
            PRODUCT_STEP + C->step, L(N, a) * L(N, b) + L(N, c))                                   \
    RECORDS(affine_mad_##N##_i, N, U, TWO_##N, PRODUCT, a->base * B->base + ip->imm, PRODUCT_STEP, \
            L(N, a) * L(N, b) + (U)ip->imm)                                                        \
    RECORDS(affine_mad_##N##_bi, N, U, OUTER_##N, !(a->lanewise | C->lanewise),                    \
            a->base * ip->imm + C->base, a->step * ip->imm + C->step,                              \
            L(N, a) * (U)ip->imm + L(N, c))
#define L(N, slot) (((const w##N *)(r + ip->slot))[i])
RING(32, uint32_t)
RING(64, uint64_t)

/* Functions with a record if their sources are uniform. */
#define FLAT(name, T, expr)                                                                        \
    static inline uint32_t name##_x(T x, T y) {                                                    \
        return (uint32_t)(expr);                                                                   \
    }                                                                                              \
    RECORDS(name, 32, uint32_t, TWO_32, !(a->lanewise | B->lanewise) && !(a->step | B->step),      \
            name##_x((T)a->base, (T)B->base), 0, name##_x((T)L(32, a), (T)L(32, b)))               \
    RECORDS(name##_i, 32, uint32_t, ONE_32, !a->lanewise && !a->step,                              \
            name##_x((T)a->base, (T)ip->imm), 0, name##_x((T)L(32, a), (T)ip->imm))
FLAT(affine_and_b32, uint32_t, x &y)
FLAT(affine_or_b32, uint32_t, x | y)
FLAT(affine_xor_b32, uint32_t, x ^ y)
FLAT(affine_shl_b32, uint32_t, y > 31 ? 0 : x << (y & 31))
FLAT(affine_shr_u32, uint32_t, y > 31 ? 0 : x >> (y & 31))
FLAT(affine_shr_s32, int32_t, x >> ((uint32_t)y > 31 ? 31 : y & 31))
FLAT(affine_min_u32, uint32_t, x < y ? x : y)
FLAT(affine_max_u32, uint32_t, x > y ? x : y)
FLAT(affine_min_s32, int32_t, x < y ? x : y)
FLAT(affine_max_s32, int32_t, x > y ? x : y)

/* ---- from 32 bits to 64 --------------------------------------------------------------------- */

/* Widens. The lanes must also rise by one step as numbers, without wrapping. ip->imm is a
 * factor. */
#define WIDE(T, NARROW)                                                                            \
    static inline bool widen_##T(const sg_op *ip, char *r) {                                       \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        uint64_t factor = (uint64_t)(int64_t)(NARROW)ip->imm;                                      \
        int64_t step = (int32_t)a->step, first = (NARROW)a->base, last = first + 31 * step;        \
        if (a->lanewise || last != (NARROW)last)                                                   \
            return false;                                                                          \
        set_record(AFFINE(ip->d), (uint64_t)first *factor, (uint64_t)step *factor);                \
        return true;                                                                               \
    }                                                                                              \
    SLOW_HANDLER(affine_wide_##T##_each) {                                                         \
        uint64_t factor = (uint64_t)(int64_t)(NARROW)ip->imm;                                      \
        SPREAD_32(a);                                                                              \
        STORE_LANES(64, (uint64_t)(int64_t)(NARROW)L(32, a) * factor);                             \
    }                                                                                              \
    TWICE(affine_wide_##T, if (!(RECORDABLE && widen_##T(ip, r))) TAIL(affine_wide_##T##_each);    \
          GOTO(ip + 1, full);)
WIDE(s32, int32_t)
WIDE(u32, uint32_t)

/* ---- comparisons ---------------------------------------------------------------------------- */

/* Compares by records if all lanes agree. That is so if both values are uniform. It is also so if
 * the second is uniform and the first, rising without wrapping, is on one side of it at both ends.
 * AGREE decides this from a, first, last and y, and knows the common answer. Otherwise compares
 * lane by lane. */
#define UNIFORM_HERE(x) (!((x)->lanewise | (uint32_t)(x)->step))
#define ENDS_AGREE(op) ((first op y) == (last op y))
#define ENDS_BEYOND(op) ((first < y && last < y) || (first > y && last > y))
#define COMPARE_RECORDS(name, T, op, AGREE)                                                        \
    COMPARE_WITH(name, T, op, AGREE, const sg_affine *b = AFFINE(ip->b), UNIFORM_HERE(b),          \
                 (T)b->base, sg_spread32(r, ip->b), (T)((const w32 *)(r + ip->b))[i])              \
    COMPARE_WITH(name##_i, T, op, AGREE, , true, (T)ip->imm, , (T)ip->imm)
#define COMPARE_WITH(name, T, op, AGREE, SECOND, uniform, value, FILL, lane)                       \
    static inline bool name##_decide(const sg_op *ip, char *r, uint32_t *p) {                      \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        SECOND;                                                                                    \
        if (a->lanewise || !(uniform))                                                             \
            return false;                                                                          \
        int64_t y = (value), first = (T)a->base, last = first + 31 * (int64_t)(int32_t)a->step;    \
        *p = -(uint32_t)(first op y);                                                              \
        return !a->step || (last == (T)last && AGREE(op));                                         \
    }                                                                                              \
    static inline uint32_t name##_lanes(const sg_op *ip, char *r) {                                \
        const w32 *x = (const w32 *)(r + ip->a);                                                   \
        int32_t t[SG_LANES];                                                                       \
        sg_spread32(r, ip->a);                                                                     \
        FILL;                                                                                      \
        LANES t[i] = -(int32_t)((T)x[i] op(lane));                                                 \
        return sg_pack(t);                                                                         \
    }                                                                                              \
    DECIDE(name, name, GO_ON)                                                                      \
    DECIDE(name##_br, name, BRANCH_NEXT)
#define DECIDE(name, function, END)                                                                \
    SLOW_HANDLER(name##_each) {                                                                    \
        const bool full = w->full;                                                                 \
        uint32_t p = function##_lanes(ip, r);                                                      \
        SET_PRED(p);                                                                               \
        END(p, w->mask, full);                                                                     \
    }                                                                                              \
    TWICE(name, uint32_t p; if (!function##_decide(ip, r, &p)) TAIL(name##_each); SET_PRED(p);     \
          END(p, full ? SG_ALL : w->mask, full);)
COMPARE_RECORDS(affine_setp_eq_u32, uint32_t, ==, ENDS_BEYOND)
COMPARE_RECORDS(affine_setp_ne_u32, uint32_t, !=, ENDS_BEYOND)
COMPARE_RECORDS(affine_setp_lt_u32, uint32_t, <, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_le_u32, uint32_t, <=, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_gt_u32, uint32_t, >, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_ge_u32, uint32_t, >=, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_lt_s32, int32_t, <, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_le_s32, int32_t, <=, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_gt_s32, int32_t, >, ENDS_AGREE)
COMPARE_RECORDS(affine_setp_ge_s32, int32_t, >=, ENDS_AGREE)

/* clang-format off */
#define WIDTHS(name) PAIR(name##_32) PAIR(name##_64)
#define IMM_TOO(name) PAIR(name) PAIR(name##_i)
#define IMMS_TOO(name) IMM_TOO(name##_32) IMM_TOO(name##_64)
#define BRANCH_TOO(name) IMM_TOO(name) PAIR(name##_br) PAIR(name##_i_br)
const sg_entry SG_TABLE(affine)[] = {
    BOTH(spread_32) BOTH(spread_64) BOTH(affine_open_32) BOTH(affine_open_64)
    WIDTHS(affine_close) WIDTHS(affine_take) WIDTHS(affine_param) PAIR(affine_block_32)
    IMMS_TOO(affine_mov) IMMS_TOO(affine_add) IMMS_TOO(affine_sub) IMMS_TOO(affine_mul)
    IMMS_TOO(affine_mad) PAIR(affine_mad_32_bi) PAIR(affine_mad_64_bi)
    IMM_TOO(affine_and_b32) IMM_TOO(affine_or_b32) IMM_TOO(affine_xor_b32) IMM_TOO(affine_shl_b32)
    IMM_TOO(affine_shr_u32) IMM_TOO(affine_shr_s32) IMM_TOO(affine_min_u32) IMM_TOO(affine_max_u32)
    IMM_TOO(affine_min_s32) IMM_TOO(affine_max_s32) PAIR(affine_wide_s32) PAIR(affine_wide_u32)
    BRANCH_TOO(affine_setp_eq_u32) BRANCH_TOO(affine_setp_ne_u32) BRANCH_TOO(affine_setp_lt_u32)
    BRANCH_TOO(affine_setp_le_u32) BRANCH_TOO(affine_setp_gt_u32) BRANCH_TOO(affine_setp_ge_u32)
    BRANCH_TOO(affine_setp_lt_s32) BRANCH_TOO(affine_setp_le_s32) BRANCH_TOO(affine_setp_gt_s32)
    BRANCH_TOO(affine_setp_ge_s32) {NULL, NULL, NULL}};
/* clang-format on */
