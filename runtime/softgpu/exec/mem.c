/* mem.c: loads and stores. Every access is checked: a request whose lanes are consecutive, or
 * all the same, needs one comparison with the cached range; others are checked lane by lane. The
 * common cases are inlined in the handlers; the others go through run_* functions, and from there
 * to access.c when a lane is not in the cached range.
 *
 * Names: ld_SPACE_TYPE and st_SPACE_TYPE, space g (global and constant, 64-bit addresses), s
 * (shared, 32-bit offsets), a and b (the same two, the address an affine register), l (local,
 * 32-bit offsets), x (generic), p (parameters of a function, at a fixed local offset), k
 * (parameters of the kernel).
 * `_c` counts and checks for races as well. ip->a is the address, ip->offset is added to it, ip->d
 * the register. Vector accesses have their registers in ip->aux. */
#include "runtime/softgpu/exec/record.h"

/* M: what lies in memory; W: the lane; V: what the value is extended from (signed or not). */
#define ACCESS(T, M, W, V)                                                                         \
    OUTLINE void run_ld_g_##T(const sg_op *ip, sg_warp *w, W *d, const w64 *a) {                   \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t offset = (uint64_t)ip->offset;                                                    \
        if (!WATCHED && all_inside(a, w, offset, s->rlo, s->rhi, sizeof(M))) {                     \
            if (w->full && sizeof(M) == 4) {                                                       \
                gather32((w32 *)d, a, offset);                                                     \
                return;                                                                            \
            }                                                                                      \
            if (w->full) {                                                                         \
                for (int i = 0; i < SG_LANES; i++)                                                 \
                    d[i] = (W)(V) * (const M *)(uintptr_t)(a[i] + offset);                         \
                return;                                                                            \
            }                                                                                      \
            for (uint32_t m = w->mask; m; m &= m - 1) {                                            \
                uint32_t i = first_lane(m);                                                        \
                d[i] = (W)(V) * (const M *)(uintptr_t)(a[i] + offset);                             \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            uint64_t at = a[i] + offset;                                                           \
            if (WATCHED || !inside(s->rlo, s->rhi, at, sizeof(M)) || (at & (sizeof(M) - 1)))       \
                s = sg_span_fill(w, ip, (int)i, at, sizeof(M), SG_READ);                           \
            d[i] = (W)(V) * (const M *)(uintptr_t)at;                                              \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_st_g_##T(const sg_op *ip, sg_warp *w, const W *d, const w64 *a) {             \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t offset = (uint64_t)ip->offset;                                                    \
        if (!WATCHED && all_inside(a, w, offset, s->lo, s->hi, sizeof(M))) {                       \
            if (w->full) {                                                                         \
                for (int i = 0; i < SG_LANES; i++)                                                 \
                    *(M *)(uintptr_t)(a[i] + offset) = (M)d[i];                                    \
                return;                                                                            \
            }                                                                                      \
            for (uint32_t m = w->mask; m; m &= m - 1) {                                            \
                uint32_t i = first_lane(m);                                                        \
                *(M *)(uintptr_t)(a[i] + offset) = (M)d[i];                                        \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            uint64_t at = a[i] + offset;                                                           \
            if (WATCHED || !inside(s->lo, s->hi, at, sizeof(M)) || (at & (sizeof(M) - 1)))         \
                s = sg_span_fill(w, ip, (int)i, at, sizeof(M), SG_WRITE);                          \
            *(M *)(uintptr_t)at = (M)d[i];                                                         \
        }                                                                                          \
    }                                                                                              \
    INLINE bool ld_g_##T(const sg_op *ip, sg_warp *w, char *r, const w64 *a, bool full) {          \
        W *d = (W *)(r + ip->d);                                                                   \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t base = a[0], at;                                                                  \
        enum shape shape = full ? shape_f(a, sizeof(M)) : shape_m(a, w, sizeof(M), &base);         \
        at = base + (uint64_t)ip->offset;                                                          \
        uint32_t first = full ? 0 : first_lane(w->mask), last = full ? 31 : last_lane(w->mask);    \
        if (shape == UNIT &&                                                                       \
            inside(s->rlo, s->rhi, at + first * sizeof(M), (last - first + 1) * sizeof(M)) &&      \
            !(at & (sizeof(M) - 1))) {                                                             \
            const M *p = (const M *)(uintptr_t)at;                                                 \
            if (full)                                                                              \
                prefetch_next(ip, r, at, SG_LANES * sizeof(M), false);                             \
            if (full) {                                                                            \
                LANES d[i] = (W)(V)p[i];                                                           \
            } else {                                                                               \
                const int32_t *on = w->on;                                                         \
                LANES if (on[i]) d[i] = (W)(V)p[i];                                                \
            }                                                                                      \
        } else if (shape == UNIFORM && inside(s->rlo, s->rhi, at, sizeof(M)) &&                    \
                   !(at & (sizeof(M) - 1))) {                                                      \
            W x = (W)(V) * (const M *)(uintptr_t)at;                                               \
            if (full) {                                                                            \
                LANES d[i] = x;                                                                    \
            } else {                                                                               \
                const int32_t *on = w->on;                                                         \
                LANES d[i] = on[i] ? x : d[i];                                                     \
            }                                                                                      \
        } else {                                                                                   \
            return false;                                                                          \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    INLINE bool st_g_##T(const sg_op *ip, sg_warp *w, char *r, const w64 *a, bool full) {          \
        const W *d = (const W *)(r + ip->d);                                                       \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t base = a[0], at;                                                                  \
        enum shape shape = full ? shape_f(a, sizeof(M)) : shape_m(a, w, sizeof(M), &base);         \
        at = base + (uint64_t)ip->offset;                                                          \
        uint32_t first = full ? 0 : first_lane(w->mask), last = full ? 31 : last_lane(w->mask);    \
        if (shape == UNIT &&                                                                       \
            inside(s->lo, s->hi, at + first * sizeof(M), (last - first + 1) * sizeof(M)) &&        \
            !(at & (sizeof(M) - 1))) {                                                             \
            M *p = (M *)(uintptr_t)at;                                                             \
            if (full)                                                                              \
                prefetch_next(ip, r, at, SG_LANES * sizeof(M), true);                              \
            if (full) {                                                                            \
                LANES p[i] = (M)d[i];                                                              \
            } else {                                                                               \
                const int32_t *on = w->on;                                                         \
                LANES if (on[i]) p[i] = (M)d[i];                                                   \
            }                                                                                      \
        } else {                                                                                   \
            return false;                                                                          \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    OUTLINE void run_ld_s_##T(const sg_op *ip, sg_warp *w, W *d, const w32 *a) {                   \
        uint64_t most = w->shared_bytes;                                                           \
        if (sizeof(M) == 4 && w->full &&                                                           \
            all_inside_shared(a, w, (uint32_t)ip->offset, sizeof(M))) {                            \
            gather_shared32((w32 *)d, a, w->shared, (uint32_t)ip->offset);                         \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            uint64_t at = narrow_sum(a[i], ip);                                                    \
            void *p = w->shared + at;                                                              \
            if (!inside(0, most, at, sizeof(M)) || (at & (sizeof(M) - 1)))                         \
                p = sg_lane_pointer(w, ip, PTX_SPACE_SHARED, (int)i, at, sizeof(M), SG_READ);      \
            d[i] = (W)(V) * (const M *)p;                                                          \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_st_s_##T(const sg_op *ip, sg_warp *w, const W *d, const w32 *a) {             \
        uint64_t most = w->shared_bytes;                                                           \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            uint64_t at = narrow_sum(a[i], ip);                                                    \
            void *p = w->shared + at;                                                              \
            if (!inside(0, most, at, sizeof(M)) || (at & (sizeof(M) - 1)))                         \
                p = sg_lane_pointer(w, ip, PTX_SPACE_SHARED, (int)i, at, sizeof(M), SG_WRITE);     \
            *(M *)p = (M)d[i];                                                                     \
        }                                                                                          \
    }                                                                                              \
    INLINE bool ld_s_##T(const sg_op *ip, sg_warp *w, char *r, const w32 *a, bool full) {          \
        W *d = (W *)(r + ip->d);                                                                   \
        uint32_t base = a[0];                                                                      \
        enum shape shape = full ? shape32_f(a, sizeof(M)) : shape32_m(a, w, sizeof(M), &base);     \
        uint32_t first = full ? 0 : first_lane(w->mask), last = full ? 31 : last_lane(w->mask);    \
        uint64_t at = narrow_sum(full ? base : shape == UNIT ? a[first] : base, ip);               \
        if (shape == UNIT &&                                                                       \
            inside(0, w->shared_bytes, (uint64_t)at, (last - first + 1) * sizeof(M)) &&            \
            !(at & (sizeof(M) - 1))) {                                                             \
            const M *p = (const M *)((uintptr_t)w->shared + (uintptr_t)at - first * sizeof(M));    \
            if (full) {                                                                            \
                LANES d[i] = (W)(V)p[i];                                                           \
            } else {                                                                               \
                const int32_t *on = w->on;                                                         \
                LANES if (on[i]) d[i] = (W)(V)p[i];                                                \
            }                                                                                      \
        } else if (shape == UNIFORM && inside(0, w->shared_bytes, (uint64_t)at, sizeof(M)) &&      \
                   !(at & (sizeof(M) - 1))) {                                                      \
            W x = (W)(V) * (const M *)(w->shared + at);                                            \
            if (full) {                                                                            \
                LANES d[i] = x;                                                                    \
            } else {                                                                               \
                const int32_t *on = w->on;                                                         \
                LANES d[i] = on[i] ? x : d[i];                                                     \
            }                                                                                      \
        } else {                                                                                   \
            return false;                                                                          \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    INLINE bool st_s_##T(const sg_op *ip, sg_warp *w, char *r, const w32 *a, bool full) {          \
        const W *d = (const W *)(r + ip->d);                                                       \
        uint32_t base = a[0];                                                                      \
        enum shape shape = full ? shape32_f(a, sizeof(M)) : shape32_m(a, w, sizeof(M), &base);     \
        uint32_t first = full ? 0 : first_lane(w->mask), last = full ? 31 : last_lane(w->mask);    \
        uint64_t at = narrow_sum(full ? base : a[first], ip);                                      \
        if (shape == UNIT &&                                                                       \
            inside(0, w->shared_bytes, (uint64_t)at, (last - first + 1) * sizeof(M)) &&            \
            !(at & (sizeof(M) - 1))) {                                                             \
            M *p = (M *)((uintptr_t)w->shared + (uintptr_t)at - first * sizeof(M));                \
            if (full) {                                                                            \
                LANES p[i] = (M)d[i];                                                              \
            } else {                                                                               \
                const int32_t *on = w->on;                                                         \
                LANES if (on[i]) p[i] = (M)d[i];                                                   \
            }                                                                                      \
        } else {                                                                                   \
            return false;                                                                          \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    /* Local memory and parameters: rows of words; lane by lane through access.c unless the lanes  \
     * have one offset and the element is a word. */                                               \
    OUTLINE void run_ld_l_##T(const sg_op *ip, sg_warp *w, W *d, const w32 *a, uint32_t fixed) {   \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            M x;                                                                                   \
            uint64_t at = a ? narrow_sum(a[i], ip) : fixed;                                        \
            sg_lane_load(w, ip, PTX_SPACE_LOCAL, (int)i, at, sizeof(M), &x);                       \
            d[i] = (W)(V)x;                                                                        \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_st_l_##T(const sg_op *ip, sg_warp *w, const W *d, const w32 *a,               \
                              uint32_t fixed) {                                                    \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            M x = (M)d[i];                                                                         \
            uint64_t at = a ? narrow_sum(a[i], ip) : fixed;                                        \
            sg_lane_store(w, ip, PTX_SPACE_LOCAL, (int)i, at, sizeof(M), &x);                      \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_ld_x_##T(const sg_op *ip, sg_warp *w, char *r, const w64 *a) {                \
        W *d = (W *)(r + ip->d);                                                                   \
        uint64_t window = (a[first_lane(w->mask)] + (uint64_t)ip->offset) & SG_WINDOW_MASK;        \
        bool same = true;                                                                          \
        w32 low[SG_LANES];                                                                         \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            low[i] = (uint32_t)a[i];                                                               \
            same &= ((a[i] + (uint64_t)ip->offset) & SG_WINDOW_MASK) == window;                    \
        }                                                                                          \
        if (same && window == SG_SHARED_WINDOW) {                                                  \
            if (CHECKED)                                                                           \
                count_shared(w, ip, SG_READ, low);                                                 \
            run_ld_s_##T(ip, w, d, low);                                                           \
            return;                                                                                \
        }                                                                                          \
        if (CHECKED)                                                                               \
            sg_count_generic(w, ip, SG_READ, (const uint64_t *)a);                                 \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            M x;                                                                                   \
            sg_lane_load(w, ip, PTX_SPACE_GENERIC, (int)i, a[i] + (uint64_t)ip->offset, sizeof(M), \
                         &x);                                                                      \
            d[i] = (W)(V)x;                                                                        \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_st_x_##T(const sg_op *ip, sg_warp *w, char *r, const w64 *a) {                \
        const W *d = (const W *)(r + ip->d);                                                       \
        if (CHECKED)                                                                               \
            sg_count_generic(w, ip, SG_WRITE, (const uint64_t *)a);                                \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            M x = (M)d[i];                                                                         \
            sg_lane_store(w, ip, PTX_SPACE_GENERIC, (int)i, a[i] + (uint64_t)ip->offset,           \
                          sizeof(M), &x);                                                          \
        }                                                                                          \
    }                                                                                              \
    SLOW_HANDLER(slow_ld_g_##T) {                                                                  \
        run_ld_g_##T(ip, w, (W *)(r + ip->d), (const w64 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    SLOW_HANDLER(slow_st_g_##T) {                                                                  \
        run_st_g_##T(ip, w, (W *)(r + ip->d), (const w64 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    SLOW_HANDLER(slow_ld_s_##T) {                                                                  \
        run_ld_s_##T(ip, w, (W *)(r + ip->d), (const w32 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    SLOW_HANDLER(slow_st_s_##T) {                                                                  \
        run_st_s_##T(ip, w, (W *)(r + ip->d), (const w32 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    VARIANTS(T, M, W, V, f, true)                                                                  \
    VARIANTS(T, M, W, V, m, false)                                                                 \
    BY_RECORD(T, M, W, V)                                                                          \
    SHARED_BY_RECORD(T, M, W, V)

/* Every active lane's generic address in the process's own memory? */
INLINE bool all_global(const sg_op *ip, const sg_warp *w, const w64 *a) {
    uint64_t high = 0;
    if (w->full) {
        LANES high |= a[i] + (uint64_t)ip->offset;
    } else {
        const int32_t *on = w->on;
        LANES high |= on[i] ? a[i] + (uint64_t)ip->offset : 0;
    }
    return !(high & SG_WINDOW_MASK);
}
/* The row of local memory all lanes use, when they have one word-aligned offset; NULL otherwise. */
INLINE w32 *local_row(const sg_op *ip, sg_warp *w, const w32 *a, bool full, uint32_t bytes) {
    uint32_t base = a[0];
    enum shape shape = full ? shape32_f(a, 0) : shape32_m(a, w, 0, &base);
    uint64_t at = narrow_sum(base, ip);
    if (shape == SCATTERED || (at & 3) || !inside(0, w->local_bytes, at, bytes))
        return NULL;
    return (w32 *)(w->local + at / 4 * 128);
}

#define GA const w64 *a = (const w64 *)(r + ip->a)
#define SA const w32 *a = (const w32 *)(r + ip->a)
#define VARIANTS(T, M, W, V, v, full)                                                              \
    HANDLER(ld_g_##T##_##v) {                                                                      \
        GA;                                                                                        \
        if (!ld_g_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_ld_g_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_g_##T##_##v) {                                                                      \
        GA;                                                                                        \
        if (!st_g_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_st_g_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(ld_g_##T##_c_##v) {                                                                    \
        GA;                                                                                        \
        count_global(w, ip, SG_READ, a);                                                           \
        if (w->block->run->launch->options & SG_INITCHECK)                                         \
            TAIL(slow_ld_g_##T);                                                                   \
        if (!ld_g_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_ld_g_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_g_##T##_c_##v) {                                                                    \
        GA;                                                                                        \
        count_global(w, ip, SG_WRITE, a);                                                          \
        if (w->block->run->launch->options & SG_INITCHECK)                                         \
            TAIL(slow_st_g_##T);                                                                   \
        if (!st_g_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_st_g_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(ld_s_##T##_##v) {                                                                      \
        SA;                                                                                        \
        if (!ld_s_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_ld_s_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_s_##T##_##v) {                                                                      \
        SA;                                                                                        \
        if (!st_s_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_st_s_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(ld_s_##T##_c_##v) {                                                                    \
        SA;                                                                                        \
        count_shared(w, ip, SG_READ, a);                                                           \
        if (!ld_s_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_ld_s_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_s_##T##_c_##v) {                                                                    \
        SA;                                                                                        \
        count_shared(w, ip, SG_WRITE, a);                                                          \
        if (!st_s_##T(ip, w, r, a, full))                                                          \
            TAIL(slow_st_s_##T);                                                                   \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(ld_x_##T##_##v) {                                                                      \
        GA;                                                                                        \
        if (all_global(ip, w, a)) {                                                                \
            if (CHECKED)                                                                           \
                count_global(w, ip, SG_READ, a);                                                   \
            if (!ld_g_##T(ip, w, r, a, full))                                                      \
                TAIL(slow_ld_g_##T);                                                               \
        } else {                                                                                   \
            run_ld_x_##T(ip, w, r, a);                                                             \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_x_##T##_##v) {                                                                      \
        GA;                                                                                        \
        if (all_global(ip, w, a)) {                                                                \
            if (CHECKED)                                                                           \
                count_global(w, ip, SG_WRITE, a);                                                  \
            if (!st_g_##T(ip, w, r, a, full))                                                      \
                TAIL(slow_st_g_##T);                                                               \
        } else {                                                                                   \
            run_st_x_##T(ip, w, r, a);                                                             \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(ld_l_##T##_##v) {                                                                      \
        SA;                                                                                        \
        W *d = (W *)(r + ip->d);                                                                   \
        if (CHECKED)                                                                               \
            count_local(w, ip, SG_READ);                                                           \
        const w32 *row = sizeof(M) >= 4 ? local_row(ip, w, a, full, sizeof(M)) : NULL;             \
        if (row) {                                                                                 \
            ROW_LOAD(M, W, full)                                                                   \
        } else {                                                                                   \
            run_ld_l_##T(ip, w, d, a, 0);                                                          \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_l_##T##_##v) {                                                                      \
        SA;                                                                                        \
        const W *d = (const W *)(r + ip->d);                                                       \
        if (CHECKED)                                                                               \
            count_local(w, ip, SG_WRITE);                                                          \
        w32 *row = sizeof(M) >= 4 ? local_row(ip, w, a, full, sizeof(M)) : NULL;                   \
        if (row) {                                                                                 \
            ROW_STORE(M, W, full)                                                                  \
        } else {                                                                                   \
            run_st_l_##T(ip, w, d, a, 0);                                                          \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    /* Parameters of functions: lowering has checked that the offset lies inside the frame. */     \
    HANDLER(ld_p_##T##_##v) {                                                                      \
        W *d = (W *)(r + ip->d);                                                                   \
        uint32_t at = w->local_base + (uint32_t)ip->offset;                                        \
        const w32 *row = (const w32 *)(w->local + at / 4 * 128);                                   \
        if (sizeof(M) >= 4 && !(at & 3)) {                                                         \
            ROW_LOAD(M, W, full)                                                                   \
        } else {                                                                                   \
            run_ld_l_##T(ip, w, d, NULL, at);                                                      \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(st_p_##T##_##v) {                                                                      \
        const W *d = (const W *)(r + ip->d);                                                       \
        uint32_t at = w->local_base + (uint32_t)ip->offset;                                        \
        w32 *row = (w32 *)(w->local + at / 4 * 128);                                               \
        if (sizeof(M) >= 4 && !(at & 3)) {                                                         \
            ROW_STORE(M, W, full)                                                                  \
        } else {                                                                                   \
            run_st_l_##T(ip, w, d, NULL, at);                                                      \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }                                                                                              \
    HANDLER(ld_k_##T##_##v) {                                                                      \
        W *d = (W *)(r + ip->d);                                                                   \
        M in_memory;                                                                               \
        memcpy(&in_memory, w->params + ip->offset, sizeof(M));                                     \
        W x = (W)(V)in_memory;                                                                     \
        if (full) {                                                                                \
            LANES d[i] = x;                                                                        \
        } else {                                                                                   \
            const int32_t *on = w->on;                                                             \
            LANES d[i] = on[i] ? x : d[i];                                                         \
        }                                                                                          \
        GOTO(ip + 1, full);                                                                        \
    }
#define ROW_LOAD(M, W, full)                                                                       \
    const w32 *high = row + (sizeof(M) > 4 ? SG_LANES : 0);                                        \
    const int32_t *on = w->on;                                                                     \
    LANES {                                                                                        \
        W x = (W)(row[i] | (sizeof(M) > 4 ? (uint64_t)high[i] << 32 : 0));                         \
        d[i] = full || on[i] ? x : d[i];                                                           \
    }
#define ROW_STORE(M, W, full)                                                                      \
    w32 *high = row + (sizeof(M) > 4 ? SG_LANES : 0);                                              \
    const int32_t *on = w->on;                                                                     \
    LANES {                                                                                        \
        row[i] = full || on[i] ? (uint32_t)d[i] : row[i];                                          \
        if (sizeof(M) > 4)                                                                         \
            high[i] = full || on[i] ? (uint32_t)((uint64_t)d[i] >> 32) : high[i];                  \
    }

ACCESS(b32, w32, w32, uint32_t)
ACCESS(b64, w64, w64, uint64_t)
ACCESS(u8, w8, w32, uint8_t)
ACCESS(s8, w8, w32, int8_t)
ACCESS(u16, w16, w32, uint16_t)
ACCESS(s16, w16, w32, int16_t)
/* clang-format off */
#define ROWS(T)                                                                                    \
    PAIR(ld_g_##T) PAIR(st_g_##T) PAIR(ld_g_##T##_c) PAIR(st_g_##T##_c)                            \
    PAIR(ld_s_##T) PAIR(st_s_##T) PAIR(ld_s_##T##_c) PAIR(st_s_##T##_c)                            \
    PAIR(ld_x_##T) PAIR(st_x_##T) PAIR(ld_l_##T) PAIR(st_l_##T)                                    \
    PAIR(ld_p_##T) PAIR(st_p_##T) PAIR(ld_k_##T) PAIR(ld_a_##T) PAIR(st_a_##T)                  \
    PAIR(ld_b_##T) PAIR(st_b_##T)
/* clang-format on */
const sg_entry SG_TABLE(mem)[] = {ROWS(b32) ROWS(b64) ROWS(u8) ROWS(s8) ROWS(u16) ROWS(s16)

                                      {NULL, NULL, NULL}};
