/* atomic.c: atom and red, one lane at a time in the order of the lanes. Blocks run on several host
 * threads, so global memory needs the host's atomic instructions. Shared and local memory belong to
 * one thread. */

#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/exec.h"
#include "runtime/softgpu/exec/vector.h"
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/count/poll.h"
#include "runtime/softgpu/watch/trace/waits.h"

/* Returns the new value for operands b and c. All values are the type's bits. */
static uint64_t float_op(enum sg_atomic_op op, ptx_type type, uint64_t old, uint64_t b) {
    if (type == PTX_F64) {
        double x = sg_bits_f64(old), y = sg_bits_f64(b);
        return y != y ? b : x != x ? old : sg_f64_bits(x + y); /* NaNs stay as they are */
    }
    if (type == PTX_F32)
        return sg_f32_bits(sg_nan(sg_bits_f32((uint32_t)old) + sg_bits_f32((uint32_t)b)));
    uint64_t out = 0;
    bool bf = type == PTX_BF16 || type == PTX_BF16X2;
    for (uint32_t k = 0; k < ptx_type_size(type) / 2; k++) {
        uint32_t xo = (uint32_t)(old >> 16 * k) & 0xffff, xb = (uint32_t)(b >> 16 * k) & 0xffff;
        float fo = bf ? sg_b2f(xo) : sg_h2f(xo), fb = bf ? sg_b2f(xb) : sg_h2f(xb);
        float f = op == SG_ATOM_ADD                  ? fo + fb
                  : fo != fo                         ? fb
                  : fb != fb                         ? fo
                  : (op == SG_ATOM_MIN) == (fb < fo) ? fb
                                                     : fo;
        out |= (uint64_t)((bf ? sg_f2b(f) : sg_f2h(f)) & 0xffff) << 16 * k;
    }
    return out;
}

static uint64_t apply(const sg_atom *a, uint64_t old, uint64_t b, uint64_t c) {
    ptx_type type = a->type;
    bool wide = ptx_type_size(type) == 8, is_signed = type >= PTX_S8 && type <= PTX_S64;
    if (type >= PTX_F16 && type <= PTX_F64)
        return float_op(a->op, type, old, b);
    int64_t so = wide ? (int64_t)old : (int32_t)old, sb = wide ? (int64_t)b : (int32_t)b;
    switch (a->op) {
    case SG_ATOM_ADD:
        return old + b;
    case SG_ATOM_MIN:
        return is_signed ? (so < sb ? old : b) : (old < b ? old : b);
    case SG_ATOM_MAX:
        return is_signed ? (so > sb ? old : b) : (old > b ? old : b);
    case SG_ATOM_AND:
        return old & b;
    case SG_ATOM_OR:
        return old | b;
    case SG_ATOM_XOR:
        return old ^ b;
    case SG_ATOM_EXCH:
        return b;
    case SG_ATOM_CAS:
        return old == b ? c : old;
    case SG_ATOM_INC:
        return old >= b ? 0 : old + 1;
    case SG_ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    }
    return old;
}

/* Replaces *p by apply(...), atomically for all threads. Returns the old value. */
#define UPDATE(bits)                                                                               \
    static uint64_t update##bits(const sg_atom *a, uint##bits##_t *p, uint64_t b, uint64_t c) {    \
        uint##bits##_t old = __atomic_load_n(p, __ATOMIC_RELAXED), next;                           \
        do {                                                                                       \
            next = (uint##bits##_t)apply(a, old, b, c);                                            \
        } while (!__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST,              \
                                              __ATOMIC_SEQ_CST));                                  \
        return old;                                                                                \
    }
UPDATE(16)
UPDATE(32)
UPDATE(64)

static uint64_t global(const sg_atom *a, void *p, uint32_t bytes, uint64_t b, uint64_t c) {
    bool integer = a->type < PTX_F16;
    if (integer && bytes == 4 && a->op == SG_ATOM_ADD)
        return __atomic_fetch_add((uint32_t *)p, (uint32_t)b, __ATOMIC_SEQ_CST);
    if (integer && bytes == 8 && a->op == SG_ATOM_ADD)
        return __atomic_fetch_add((uint64_t *)p, b, __ATOMIC_SEQ_CST);
    return bytes == 2   ? update16(a, p, b, c)
           : bytes == 4 ? update32(a, p, b, c)
                        : update64(a, p, b, c);
}

static uint64_t own(sg_warp *w, const sg_op *ip, const sg_atom *a, int lane, uint64_t at,
                    uint32_t bytes, uint64_t b, uint64_t c) {
    uint64_t old = 0, next;
    sg_lane_load(w, ip, a->space, lane, at, bytes, &old);
    next = apply(a, old, b, c);
    sg_lane_store(w, ip, a->space, lane, at, bytes, &next);
    return old;
}

static uint64_t value(const char *r, int32_t place, uint32_t bytes, uint32_t lane) {
    if (bytes == 8)
        return ((const w64 *)(r + place))[lane];
    uint32_t x = ((const w32 *)(r + place))[lane];
    return bytes == 2 ? x & 0xffff : x;
}

static uint64_t all_bits(uint32_t bytes) {
    return bytes == 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
}

/* Counts queues: every element of every lane is an operation at an address. Only those in global
 * memory meet other blocks'. */
static void contend(sg_warp *w, const sg_op *ip, const sg_atom *a, const uint64_t *lanes) {
    uint64_t at[SG_LANES];
    sg_met met[SG_LANES];
    /* these always return a value */
    bool answers = a->asks || a->op == SG_ATOM_EXCH || a->op == SG_ATOM_CAS;
    for (uint32_t k = 0; k < a->n; k++) {
        uint32_t mask = 0;
        EACH_LANE {
            at[i] = lanes[i] + (uint64_t)ip->offset + k * ptx_type_size(a->type);
            mask |= (uint32_t) !(at[i] & SG_WINDOW_MASK) << i;
        }
        if (mask)
            sg_poll_atomics(w, met,
                            sg_contention_count(w, ip, at, mask, a->together, answers, met));
    }
}

/* Counts the request, and checks it for races and uninitialised words if the launch asks. */
static void count_atomic(sg_warp *w, const sg_op *ip, ptx_space space, const void *at) {
    if (space == PTX_SPACE_GENERIC)
        sg_count_generic(w, ip, SG_ATOMIC, at);
    else if (space == PTX_SPACE_SHARED)
        sg_watch_shared(w, ip, SG_ATOMIC, at, ip->offset, w->mask, ip->width);
    else
        sg_watch_global(w, ip, SG_ATOMIC, at, ip->offset, w->mask, ip->width);
}

void sg_atomic(sg_warp *w, const sg_op *ip, char *r) {
    const sg_atom *a = ip->aux;
    const w64 *wide = (const w64 *)(r + ip->a);
    const w32 *narrow = (const w32 *)(r + ip->a);
    uint32_t bytes = ptx_type_size(a->type);
    bool counted = ip->flags & SG_F_COUNT, watched = counted || a->asks || w->block->run->turns,
         changed = false;
    if (counted)
        count_atomic(w, ip, a->space, r + ip->a);
    if (a->wide_address && a->space != PTX_SPACE_SHARED && w->block->run->code->options & SG_COUNT)
        contend(w, ip, a, (const uint64_t *)wide);
    EACH_LANE {
        uint64_t at = a->wide_address ? wide[i] + (uint64_t)ip->offset
                                      : (uint32_t)(narrow[i] + (uint32_t)ip->offset);
        bool shared_or_local = a->space == PTX_SPACE_SHARED || (at & SG_WINDOW_MASK);
        for (uint32_t k = 0; k < a->n; k++, at += bytes) {
            uint64_t b = value(r, a->b[k], bytes, i), c = value(r, a->c[k], bytes, i), old;
            if (shared_or_local) {
                old = own(w, ip, a, (int)i, at, bytes, b, c);
            } else {
                const sg_span *s = &w->spans[ip->site];
                if (at < s->lo || at >= s->hi || s->hi - at < bytes || (at & (bytes - 1)) ||
                    (w->block->run->launch->options & SG_INITCHECK)) {
                    sg_span_fill(w, ip, (int)i, at, bytes, SG_ATOMIC);
                }
                old = global(a, (void *)(uintptr_t)at, bytes, b, c);
            }
            if (watched)
                changed |= ((apply(a, old, b, c) ^ old) & all_bits(bytes)) != 0;
            if (!a->returns)
                continue;
            if (bytes == 8)
                ((w64 *)(r + a->dst[k]))[i] = old;
            else
                ((w32 *)(r + a->dst[k]))[i] = (uint32_t)old;
        }
    }
    w->wrote |= changed;
    w->moved |= changed || !watched;
    if (changed && a->wide_address && w->block->run->turns)
        sg_waits_news(w, (const uint64_t *)wide, ip->offset, w->mask);
    if (a->asks && !changed) { /* atomicAdd(p, 0): it may wait for another thread's write */
        w->spinning = true;
        w->budget -= 1000; /* repeating it earlier is useless */
    }
}
