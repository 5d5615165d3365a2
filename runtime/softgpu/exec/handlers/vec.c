/* vec.c: loads and stores of vectors (ld.v2, st.v4, ...), and the memory instructions that work
 * lane by lane. A request of 32 consecutive vectors needs one check, and is split into (or joined
 * from) its registers. Others are checked for each lane. */
#include "runtime/softgpu/exec/handlers/mem.h"

/* Splits n interleaved arrays from contiguous memory, or joins them. */
INLINE void split(char *r, const sg_vector *v, const char *p, uint32_t n, uint32_t bytes) {
    for (uint32_t k = 0; k < n; k++) {
        if (v->places[k] < 0)
            continue;
        if (bytes == 4) {
            w32 *d = (w32 *)(r + v->places[k]);
            const w32 *s = (const w32 *)p + k;
            LANES d[i] = s[(uint32_t)i * n];
        } else {
            w64 *d = (w64 *)(r + v->places[k]);
            const w64 *s = (const w64 *)p + k;
            LANES d[i] = s[(uint32_t)i * n];
        }
    }
}
INLINE void join(char *r, const sg_vector *v, char *p, uint32_t n, uint32_t bytes) {
    for (uint32_t k = 0; k < n; k++) {
        if (bytes == 4) {
            const w32 *s = (const w32 *)(r + v->places[k]);
            w32 *d = (w32 *)p + k;
            LANES d[(uint32_t)i * n] = s[i];
        } else {
            const w64 *s = (const w64 *)(r + v->places[k]);
            w64 *d = (w64 *)p + k;
            LANES d[(uint32_t)i * n] = s[i];
        }
    }
}
OUTLINE void split_any(char *r, const sg_vector *v, const char *p) {
    if (v->n == 4)
        split(r, v, p, 4, 4);
    else if (v->bytes == 4)
        split(r, v, p, 2, 4);
    else
        split(r, v, p, 2, 8);
}
OUTLINE void join_any(char *r, const sg_vector *v, char *p) {
    if (v->n == 4)
        join(r, v, p, 4, 4);
    else if (v->bytes == 4)
        join(r, v, p, 2, 4);
    else
        join(r, v, p, 2, 8);
}
INLINE bool splittable(const sg_vector *v) {
    return (v->bytes == 4 && (v->n == 4 || v->n == 2)) || (v->bytes == 8 && v->n == 2);
}

OUTLINE void run_ld_v(const sg_op *ip, sg_warp *w, char *r, ptx_space space) {
    const sg_vector *v = ip->aux;
    const w64 *a = (const w64 *)(r + ip->a);
    const w32 *a32 = (const w32 *)(r + ip->a);
    uint32_t total = v->n * v->bytes;
    bool narrow = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    if (w->full && space == PTX_SPACE_GLOBAL && splittable(v) && shape_f(a, total) == UNIT) {
        const sg_span *s = &w->spans[ip->site];
        uint64_t at = a[0] + (uint64_t)ip->offset;
        if (!WATCHED && inside(s->rlo, s->rhi, at, total * 32) && !(at & (total - 1))) {
            split_any(r, v, (const char *)(uintptr_t)at);
            return;
        }
    }
    if (w->full && space == PTX_SPACE_SHARED && splittable(v) && shape32_f(a32, total) == UNIT) {
        uint64_t at = narrow_sum(a32[0], ip);
        if (inside(0, w->shared_bytes, at, total * 32) && !(at & (total - 1))) {
            split_any(r, v, w->shared + at);
            return;
        }
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t i = first_lane(m);
        uint64_t at = narrow ? narrow_sum(a32[i], ip) : a[i] + (uint64_t)ip->offset;
        char copy[64];
        const char *from = copy;
        const sg_span *s = &w->spans[ip->site];
        if (space == PTX_SPACE_GLOBAL && !WATCHED && inside(s->rlo, s->rhi, at, total) &&
            !(at & (total - 1)))
            from = (const char *)(uintptr_t)at;
        else if (space == PTX_SPACE_SHARED && inside(0, w->shared_bytes, at, total) &&
                 !(at & (total - 1)))
            from = w->shared + at;
        else
            sg_lane_load(w, ip, space, (int)i, at, total, copy);
        for (uint32_t k = 0; k < v->n; k++) {
            if (v->places[k] < 0)
                continue;
            char *d = r + v->places[k];
            switch (v->bytes) {
            case 1:
                ((w32 *)d)[i] =
                    v->is_signed ? (uint32_t)((const int8_t *)from)[k] : ((const w8 *)from)[k];
                break;
            case 2:
                ((w32 *)d)[i] = v->is_signed ? (uint32_t)(int16_t)((const w16 *)from)[k]
                                             : ((const w16 *)from)[k];
                break;
            case 4:
                ((w32 *)d)[i] = ((const w32 *)from)[k];
                break;
            default:
                ((w64 *)d)[i] = ((const w64 *)from)[k];
            }
        }
    }
}
OUTLINE void run_st_v(const sg_op *ip, sg_warp *w, char *r, ptx_space space) {
    const sg_vector *v = ip->aux;
    const w64 *a = (const w64 *)(r + ip->a);
    const w32 *a32 = (const w32 *)(r + ip->a);
    uint32_t total = v->n * v->bytes;
    bool narrow = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    if (w->full && space == PTX_SPACE_GLOBAL && splittable(v) && shape_f(a, total) == UNIT) {
        const sg_span *s = &w->spans[ip->site];
        uint64_t at = a[0] + (uint64_t)ip->offset;
        if (!WATCHED && inside(s->lo, s->hi, at, total * 32) && !(at & (total - 1))) {
            join_any(r, v, (char *)(uintptr_t)at);
            return;
        }
    }
    if (w->full && space == PTX_SPACE_SHARED && splittable(v) && shape32_f(a32, total) == UNIT) {
        uint64_t at = narrow_sum(a32[0], ip);
        if (inside(0, w->shared_bytes, at, total * 32) && !(at & (total - 1))) {
            join_any(r, v, w->shared + at);
            return;
        }
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t i = first_lane(m);
        uint64_t at = narrow ? narrow_sum(a32[i], ip) : a[i] + (uint64_t)ip->offset;
        char copy[64];
        for (uint32_t k = 0; k < v->n; k++) {
            const char *d = r + v->places[k];
            switch (v->bytes) {
            case 1:
                ((w8 *)copy)[k] = (uint8_t)((const w32 *)d)[i];
                break;
            case 2:
                ((w16 *)copy)[k] = (uint16_t)((const w32 *)d)[i];
                break;
            case 4:
                ((w32 *)copy)[k] = ((const w32 *)d)[i];
                break;
            default:
                ((w64 *)copy)[k] = ((const w64 *)d)[i];
            }
        }
        sg_lane_store(w, ip, space, (int)i, at, total, copy);
    }
}
#define VECTOR(s, space, count_ld, count_st)                                                       \
    HANDLER(ld_##s##_v) {                                                                          \
        if (CHECKED)                                                                               \
            count_ld;                                                                              \
        run_ld_v(ip, w, r, space);                                                                 \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    HANDLER(st_##s##_v) {                                                                          \
        if (CHECKED)                                                                               \
            count_st;                                                                              \
        run_st_v(ip, w, r, space);                                                                 \
        GOTO(ip + 1, w->full);                                                                     \
    }
VECTOR(g, PTX_SPACE_GLOBAL, count_global(w, ip, SG_READ, (const w64 *)(r + ip->a)),
       count_global(w, ip, SG_WRITE, (const w64 *)(r + ip->a)))
VECTOR(s, PTX_SPACE_SHARED, count_shared(w, ip, SG_READ, (const w32 *)(r + ip->a)),
       count_shared(w, ip, SG_WRITE, (const w32 *)(r + ip->a)))
VECTOR(l, PTX_SPACE_LOCAL, count_local(w, ip, SG_READ), count_local(w, ip, SG_WRITE))
VECTOR(x, PTX_SPACE_GENERIC, sg_count_generic(w, ip, SG_READ, (const uint64_t *)(r + ip->a)),
       sg_count_generic(w, ip, SG_WRITE, (const uint64_t *)(r + ip->a)))

/* Instructions that access.c and atomic.c implement. */
HANDLER(atom) {
    sg_atomic(w, ip, r);
    GOTO(ip + 1, w->full);
}
HANDLER(cp_async) {
    sg_copy_async(w, ip, r);
    GOTO(ip + 1, w->full);
}
HANDLER(spin_mark) { /* before a load that may wait for another thread */
    w->spinning = true;
    w->budget -= (int32_t)ip->imm;
    GOTO(ip + 1, w->full);
}

const sg_entry SG_TABLE(vec)[] = {BOTH(ld_g_v) BOTH(st_g_v) BOTH(ld_s_v) BOTH(st_s_v) BOTH(ld_l_v)
                                      BOTH(st_l_v) BOTH(ld_x_v) BOTH(st_x_v) BOTH(atom)
                                          BOTH(cp_async) BOTH(spin_mark){NULL, NULL, NULL}};
