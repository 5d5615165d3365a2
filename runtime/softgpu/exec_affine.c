/* exec_affine.c: handlers whose result is an affine register (lower_affine.c): from records to a
 * record when all lanes are active and the sources have records, else lane by lane like any other
 * handler. ip->d, a, b, c are the places of the lanes; AFFINE() finds the record before them. */
#include "runtime/softgpu/exec_mem.h"

HANDLER(spread_u64) {
    sg_spread(r, ip->a);
    GOTO(ip + 1, w->full);
}

INLINE void set_record(sg_affine *d, uint64_t base, uint64_t step) {
    d->base = base;
    d->step = step;
    d->lanewise = d->spread = 0;
}

/* The result's lanes are about to be written, under a mask: the others keep what they have. */
INLINE w64 *open_lanes(const sg_op *ip, sg_warp *w, char *r) {
    if (!w->full)
        sg_spread(r, ip->d);
    AFFINE(ip->d)->lanewise = 1;
    return (w64 *)(r + ip->d);
}

#define STORE_LANES(expr)                                                                          \
    w64 *d = open_lanes(ip, w, r);                                                                 \
    const int32_t *on = w->on;                                                                     \
    if (w->full) {                                                                                 \
        LANES d[i] = (expr);                                                                       \
    } else {                                                                                       \
        LANES d[i] = on[i] ? (expr) : d[i];                                                        \
    }                                                                                              \
    GOTO(ip + 1, w->full)

/* The same in all lanes. */
#define UNIFORM_VALUE(name, value)                                                                 \
    HANDLER(name##_f) {                                                                            \
        set_record(AFFINE(ip->d), (value), 0);                                                     \
        GOTO(ip + 1, 1);                                                                           \
    }                                                                                              \
    HANDLER(name##_m) {                                                                            \
        uint64_t x = (value);                                                                      \
        STORE_LANES(x);                                                                            \
    }
static inline uint64_t param_at(const sg_warp *w, uint64_t offset) {
    uint64_t x;
    memcpy(&x, w->params + offset, 8);
    return x;
}
UNIFORM_VALUE(affine_mov_i, ip->imm)
UNIFORM_VALUE(affine_param, param_at(w, ip->imm))

/* Functions of one to three records: when a record comes out, its base and step, and a lane. */
#define LANE(slot) ((const w64 *)(r + ip->slot))
#define RECORDS(name, SPREAD, HAVE, BASE, STEP, lane)                                              \
    SLOW_HANDLER(name##_m) {                                                                       \
        SPREAD;                                                                                    \
        STORE_LANES(lane);                                                                         \
    }                                                                                              \
    HANDLER(name##_f) {                                                                            \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        if (!(HAVE)) {                                                                             \
            name##_m(ip, w, r);                                                                    \
            return;                                                                                \
        }                                                                                          \
        set_record(AFFINE(ip->d), (BASE), (STEP));                                                 \
        GOTO(ip + 1, 1);                                                                           \
    }
#define ONE sg_spread(r, ip->a)
#define TWO                                                                                        \
    ONE;                                                                                           \
    sg_spread(r, ip->b)
#define THREE                                                                                      \
    TWO;                                                                                           \
    sg_spread(r, ip->c)
#define B AFFINE(ip->b)
#define C AFFINE(ip->c)
RECORDS(affine_mov, ONE, !a->lanewise, a->base, a->step, LANE(a)[i])
RECORDS(affine_add_i, ONE, !a->lanewise, a->base + ip->imm, a->step, LANE(a)[i] + ip->imm)
RECORDS(affine_sub_i, ONE, !a->lanewise, a->base - ip->imm, a->step, LANE(a)[i] - ip->imm)
RECORDS(affine_mul_i, ONE, !a->lanewise, a->base * ip->imm, a->step * ip->imm, LANE(a)[i] * ip->imm)
RECORDS(affine_add, TWO, !(a->lanewise | B->lanewise), a->base + B->base, a->step + B->step,
        LANE(a)[i] + LANE(b)[i])
RECORDS(affine_sub, TWO, !(a->lanewise | B->lanewise), a->base - B->base, a->step - B->step,
        LANE(a)[i] - LANE(b)[i])
/* A product has a step when one of the factors has none. */
#define PRODUCT (!(a->lanewise | B->lanewise) && (!a->step || !B->step))
#define PRODUCT_STEP (a->base * B->step + a->step * B->base)
RECORDS(affine_mul, TWO, PRODUCT, a->base * B->base, PRODUCT_STEP, LANE(a)[i] * LANE(b)[i])
RECORDS(affine_mad, THREE, PRODUCT && !C->lanewise, a->base * B->base + C->base,
        PRODUCT_STEP + C->step, LANE(a)[i] * LANE(b)[i] + LANE(c)[i])
RECORDS(affine_mad_i, TWO, PRODUCT, a->base * B->base + ip->imm, PRODUCT_STEP,
        LANE(a)[i] * LANE(b)[i] + ip->imm)

/* From 32 bits: the lanes must rise by one step, also as numbers, without wrapping. */
#define WIDE(name, NARROW)                                                                         \
    SLOW_HANDLER(name##_m) {                                                                       \
        const w32 *a = (const w32 *)(r + ip->a);                                                   \
        uint64_t factor = (uint64_t)(int64_t)(NARROW)ip->imm;                                      \
        STORE_LANES((uint64_t)(int64_t)(NARROW)a[i] * factor);                                     \
    }                                                                                              \
    HANDLER(name##_f) {                                                                            \
        const w32 *a = (const w32 *)(r + ip->a);                                                   \
        uint32_t step = a[1] - a[0];                                                               \
        int64_t first = (NARROW)a[0], last = first + 31 * (int64_t)(int32_t)step;                  \
        uint64_t factor = (uint64_t)(int64_t)(NARROW)ip->imm;                                      \
        if (last != (int64_t)(NARROW)a[31] || !strided32(a, a[0], step, SG_ALL, NULL)) {           \
            name##_m(ip, w, r);                                                                    \
            return;                                                                                \
        }                                                                                          \
        set_record(AFFINE(ip->d), (uint64_t)first *factor,                                         \
                   (uint64_t)(int64_t)(int32_t)step *factor);                                      \
        GOTO(ip + 1, 1);                                                                           \
    }
WIDE(affine_wide_s32, int32_t)
WIDE(affine_wide_u32, uint32_t)

const sg_entry SG_TABLE(affine)[] = {
    BOTH(spread_u64) PAIR(affine_mov_i) PAIR(affine_param) PAIR(affine_mov) PAIR(affine_add_i)
        PAIR(affine_sub_i) PAIR(affine_mul_i) PAIR(affine_add) PAIR(affine_sub) PAIR(affine_mul)
            PAIR(affine_mad) PAIR(affine_mad_i) PAIR(affine_wide_s32)
                PAIR(affine_wide_u32){NULL, NULL, NULL}};
