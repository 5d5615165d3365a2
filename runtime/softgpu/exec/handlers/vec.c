/* vec.c: loads and stores of vectors (ld.v2, st.v4, ...), and the memory instructions that work
 * lane by lane. A request of 32 consecutive vectors needs one check, and is split into (or joined
 * from) its registers. Others are checked for each lane. */
#include "runtime/softgpu/exec/handlers/mem.h"

/* Splits n interleaved arrays from contiguous memory, or joins them there. */
INLINE void part(char *r, const sg_vector *v, char *p, uint32_t n, uint32_t bytes, bool joins) {
    for (uint32_t k = 0; k < n; k++) {
        if (!joins && v->places[k] < 0)
            continue;
        w32 *d = (w32 *)(r + v->places[k]), *m = (w32 *)p + k;
        w64 *d64 = (w64 *)(r + v->places[k]), *m64 = (w64 *)p + k;
        if (bytes == 4 && joins) {
            LANES m[(uint32_t)i * n] = d[i];
        } else if (bytes == 4) {
            LANES d[i] = m[(uint32_t)i * n];
        } else if (joins) {
            LANES m64[(uint32_t)i * n] = d64[i];
        } else {
            LANES d64[i] = m64[(uint32_t)i * n];
        }
    }
}
INLINE void part_any(char *r, const sg_vector *v, char *p, bool joins) {
    if (v->n == 4)
        part(r, v, p, 4, 4, joins);
    else if (v->bytes == 4)
        part(r, v, p, 2, 4, joins);
    else
        part(r, v, p, 2, 8, joins);
}
OUTLINE void split(char *r, const sg_vector *v, char *p) {
    part_any(r, v, p, false);
}
OUTLINE void join(char *r, const sg_vector *v, char *p) {
    part_any(r, v, p, true);
}
INLINE bool splittable(const sg_vector *v) {
    return (v->bytes == 4 && (v->n == 4 || v->n == 2)) || (v->bytes == 8 && v->n == 2);
}

/* Returns the memory of 32 consecutive vectors if the request is for such; else NULL. */
INLINE char *consecutive(const sg_op *ip, const sg_warp *w, const char *r, ptx_space space,
                         struct reach global) {
    const sg_vector *v = ip->aux;
    uint32_t total = v->n * v->bytes;
    bool shared = space == PTX_SPACE_SHARED;
    if (!w->full || !splittable(v) || (!shared && (space != PTX_SPACE_GLOBAL || WATCHED)))
        return NULL;
    struct lie lie = shared ? lie_of32(ip, w, (const w32 *)(r + ip->a), total, true)
                            : lie_of(ip, w, (const w64 *)(r + ip->a), total, true);
    struct reach in = shared ? shared_memory(w) : global;
    if (lie.shape != UNIT || !inside(in.lo, in.hi, lie.at, total * 32) || lie.at & (total - 1))
        return NULL;
    return (char *)(in.memory + lie.at);
}

OUTLINE void run_ld_v(const sg_op *ip, sg_warp *w, char *r, ptx_space space) {
    const sg_vector *v = ip->aux;
    const w64 *a = (const w64 *)(r + ip->a);
    const w32 *a32 = (const w32 *)(r + ip->a);
    uint32_t bytes = v->bytes, total = v->n * bytes;
    bool narrow = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    char *all = consecutive(ip, w, r, space, readable(ip, w));
    if (all) {
        split(r, v, all);
        return;
    }
    EACH_LANE {
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
            w32 *d = (w32 *)(r + v->places[k]);
            if (v->places[k] < 0)
                continue;
            if (bytes == 4)
                d[i] = ((const w32 *)from)[k];
            else if (bytes == 8)
                ((w64 *)d)[i] = ((const w64 *)from)[k];
            else if (bytes == 2)
                d[i] = v->is_signed ? (uint32_t)(int16_t)((const w16 *)from)[k]
                                    : ((const w16 *)from)[k];
            else
                d[i] = v->is_signed ? (uint32_t)((const int8_t *)from)[k] : ((const w8 *)from)[k];
        }
    }
}
OUTLINE void run_st_v(const sg_op *ip, sg_warp *w, char *r, ptx_space space) {
    const sg_vector *v = ip->aux;
    const w64 *a = (const w64 *)(r + ip->a);
    const w32 *a32 = (const w32 *)(r + ip->a);
    uint32_t total = v->n * v->bytes;
    bool narrow = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    char *all = consecutive(ip, w, r, space, writable(ip, w));
    if (all) {
        join(r, v, all);
        return;
    }
    EACH_LANE {
        uint64_t at = narrow ? narrow_sum(a32[i], ip) : a[i] + (uint64_t)ip->offset;
        char copy[64];
        for (uint32_t k = 0; k < v->n; k++) {
            const w32 *d = (const w32 *)(r + v->places[k]);
            if (v->bytes == 4)
                ((w32 *)copy)[k] = d[i];
            else if (v->bytes == 8)
                ((w64 *)copy)[k] = ((const w64 *)d)[i];
            else if (v->bytes == 2)
                ((w16 *)copy)[k] = (uint16_t)d[i];
            else
                ((w8 *)copy)[k] = (uint8_t)d[i];
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
