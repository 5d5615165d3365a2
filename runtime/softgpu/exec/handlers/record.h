/* record.h: loads and stores whose address is an affine register (lower/affine.c), for mem.c. The
 * record gives the pattern of the addresses, so checking both ends checks all. Other cases fill the
 * lanes and use the ordinary handlers, which check each lane. */
#ifndef SOFTGPU_EXEC_RECORD_H
#define SOFTGPU_EXEC_RECORD_H

#include "runtime/softgpu/exec/handlers/mem.h"

/* Returns true if lanes `step` bytes apart are all inside the span. The limit keeps the last
 * address from wrapping. */
INLINE bool stride_inside(uint64_t lo, uint64_t hi, uint64_t at, int64_t step, uint64_t bytes) {
    return step < (1ll << 40) && step > -(1ll << 40) && inside(lo, hi, at, bytes) &&
           inside(lo, hi, at + 31 * (uint64_t)step, bytes) &&
           !((at | (uint64_t)step) & (bytes - 1));
}

/* Global memory. */
#define BY_RECORD(T, M, W, V)                                                                      \
    SLOW_HANDLER(lanes_ld_##T) {                                                                   \
        sg_spread(r, ip->a);                                                                       \
        if (w->full)                                                                               \
            TAIL(ld_g_##T##_f);                                                                    \
        TAIL(ld_g_##T##_m);                                                                        \
    }                                                                                              \
    SLOW_HANDLER(lanes_st_##T) {                                                                   \
        sg_spread(r, ip->a);                                                                       \
        if (w->full)                                                                               \
            TAIL(st_g_##T##_f);                                                                    \
        TAIL(st_g_##T##_m);                                                                        \
    }                                                                                              \
    SLOW_HANDLER(stride_ld_##T) {                                                                  \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t at = a->base + (uint64_t)ip->offset, step = a->step;                              \
        if (!stride_inside(s->rlo, s->rhi, at, (int64_t)step, sizeof(M)))                          \
            TAIL(lanes_ld_##T);                                                                    \
        W *d = (W *)(r + ip->d);                                                                   \
        if (sizeof(M) == 4)                                                                        \
            gather32_stride((w32 *)d, at, step);                                                   \
        else                                                                                       \
            for (int i = 0; i < SG_LANES; i++)                                                     \
                d[i] = (W)(V) * (const M *)(uintptr_t)(at + step * (uint64_t)i);                   \
        GOTO(ip + 1, 1);                                                                           \
    }                                                                                              \
    SLOW_HANDLER(stride_st_##T) {                                                                  \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t at = a->base + (uint64_t)ip->offset, step = a->step;                              \
        if (!stride_inside(s->lo, s->hi, at, (int64_t)step, sizeof(M)))                            \
            TAIL(lanes_st_##T);                                                                    \
        const W *d = (const W *)(r + ip->d);                                                       \
        for (int i = 0; i < SG_LANES; i++)                                                         \
            *(M *)(uintptr_t)(at + step * (uint64_t)i) = (M)d[i];                                  \
        GOTO(ip + 1, 1);                                                                           \
    }                                                                                              \
    HANDLER(ld_a_##T##_f) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t at = a->base + (uint64_t)ip->offset;                                              \
        W *d = (W *)(r + ip->d);                                                                   \
        if (a->lanewise)                                                                           \
            TAIL(lanes_ld_##T);                                                                    \
        if (a->step == sizeof(M) && inside(s->rlo, s->rhi, at, SG_LANES * sizeof(M)) &&            \
            !(at & (sizeof(M) - 1))) {                                                             \
            const M *p = (const M *)(uintptr_t)at;                                                 \
            prefetch_next(ip, r, at, SG_LANES * sizeof(M), false);                                 \
            LANES d[i] = (W)(V)p[i];                                                               \
            GOTO(ip + 1, 1);                                                                       \
        }                                                                                          \
        if (!a->step && inside(s->rlo, s->rhi, at, sizeof(M)) && !(at & (sizeof(M) - 1))) {        \
            W x = (W)(V) * (const M *)(uintptr_t)at;                                               \
            LANES d[i] = x;                                                                        \
            GOTO(ip + 1, 1);                                                                       \
        }                                                                                          \
        TAIL(stride_ld_##T);                                                                       \
    }                                                                                              \
    HANDLER(st_a_##T##_f) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t at = a->base + (uint64_t)ip->offset;                                              \
        const W *d = (const W *)(r + ip->d);                                                       \
        if (a->lanewise)                                                                           \
            TAIL(lanes_st_##T);                                                                    \
        if (a->step == sizeof(M) && inside(s->lo, s->hi, at, SG_LANES * sizeof(M)) &&              \
            !(at & (sizeof(M) - 1))) {                                                             \
            M *p = (M *)(uintptr_t)at;                                                             \
            prefetch_next(ip, r, at, SG_LANES * sizeof(M), true);                                  \
            LANES p[i] = (M)d[i];                                                                  \
            GOTO(ip + 1, 1);                                                                       \
        }                                                                                          \
        TAIL(stride_st_##T);                                                                       \
    }                                                                                              \
    HANDLER(ld_a_##T##_m) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t at = a->base + (uint64_t)ip->offset;                                              \
        uint32_t first = first_lane(w->mask), n = last_lane(w->mask) - first + 1;                  \
        W *d = (W *)(r + ip->d);                                                                   \
        const int32_t *on = w->on;                                                                 \
        if (a->lanewise || at & (sizeof(M) - 1))                                                   \
            TAIL(lanes_ld_##T);                                                                    \
        if (a->step == sizeof(M) &&                                                                \
            inside(s->rlo, s->rhi, at + first * sizeof(M), n * sizeof(M))) {                       \
            const M *p = (const M *)(uintptr_t)at;                                                 \
            LANES if (on[i]) d[i] = (W)(V)p[i];                                                    \
            GOTO(ip + 1, 0);                                                                       \
        }                                                                                          \
        if (!a->step && inside(s->rlo, s->rhi, at, sizeof(M))) {                                   \
            W x = (W)(V) * (const M *)(uintptr_t)at;                                               \
            LANES d[i] = on[i] ? x : d[i];                                                         \
            GOTO(ip + 1, 0);                                                                       \
        }                                                                                          \
        TAIL(lanes_ld_##T);                                                                        \
    }                                                                                              \
    HANDLER(st_a_##T##_m) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t at = a->base + (uint64_t)ip->offset;                                              \
        uint32_t first = first_lane(w->mask), n = last_lane(w->mask) - first + 1;                  \
        const W *d = (const W *)(r + ip->d);                                                       \
        const int32_t *on = w->on;                                                                 \
        if (a->lanewise || a->step != sizeof(M) || at & (sizeof(M) - 1) ||                         \
            !inside(s->lo, s->hi, at + first * sizeof(M), n * sizeof(M)))                          \
            TAIL(lanes_st_##T);                                                                    \
        M *p = (M *)(uintptr_t)at;                                                                 \
        LANES if (on[i]) p[i] = (M)d[i];                                                           \
        GOTO(ip + 1, 0);                                                                           \
    }

/* The same in shared memory. */
#define SHARED_BY_RECORD(T, M, W, V)                                                               \
    SLOW_HANDLER(lanes_shared_ld_##T) {                                                            \
        sg_spread32(r, ip->a);                                                                     \
        if (w->full)                                                                               \
            TAIL(ld_s_##T##_f);                                                                    \
        TAIL(ld_s_##T##_m);                                                                        \
    }                                                                                              \
    SLOW_HANDLER(lanes_shared_st_##T) {                                                            \
        sg_spread32(r, ip->a);                                                                     \
        if (w->full)                                                                               \
            TAIL(st_s_##T##_f);                                                                    \
        TAIL(st_s_##T##_m);                                                                        \
    }                                                                                              \
    HANDLER(ld_b_##T##_f) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        uint64_t at = narrow_sum((uint32_t)a->base, ip);                                           \
        W *d = (W *)(r + ip->d);                                                                   \
        if (a->lanewise || at & (sizeof(M) - 1))                                                   \
            TAIL(lanes_shared_ld_##T);                                                             \
        if (a->step == sizeof(M) && inside(0, w->shared_bytes, at, SG_LANES * sizeof(M))) {        \
            const M *p = (const M *)(w->shared + at);                                              \
            LANES d[i] = (W)(V)p[i];                                                               \
            GOTO(ip + 1, 1);                                                                       \
        }                                                                                          \
        if (!a->step && inside(0, w->shared_bytes, at, sizeof(M))) {                               \
            W x = (W)(V) * (const M *)(w->shared + at);                                            \
            LANES d[i] = x;                                                                        \
            GOTO(ip + 1, 1);                                                                       \
        }                                                                                          \
        TAIL(lanes_shared_ld_##T);                                                                 \
    }                                                                                              \
    HANDLER(st_b_##T##_f) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        uint64_t at = narrow_sum((uint32_t)a->base, ip);                                           \
        const W *d = (const W *)(r + ip->d);                                                       \
        if (a->lanewise || a->step != sizeof(M) || at & (sizeof(M) - 1) ||                         \
            !inside(0, w->shared_bytes, at, SG_LANES * sizeof(M)))                                 \
            TAIL(lanes_shared_st_##T);                                                             \
        M *p = (M *)(w->shared + at);                                                              \
        LANES p[i] = (M)d[i];                                                                      \
        GOTO(ip + 1, 1);                                                                           \
    }                                                                                              \
    HANDLER(ld_b_##T##_m) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        uint32_t first = a->step ? first_lane(w->mask) : 0;                                        \
        uint32_t n = last_lane(w->mask) - first + 1;                                               \
        uint64_t at = narrow_sum((uint32_t)(a->base + first * a->step), ip);                       \
        W *d = (W *)(r + ip->d);                                                                   \
        const int32_t *on = w->on;                                                                 \
        if (a->lanewise || at & (sizeof(M) - 1))                                                   \
            TAIL(lanes_shared_ld_##T);                                                             \
        if (a->step == sizeof(M) && inside(0, w->shared_bytes, at, n * sizeof(M))) {               \
            const M *p = (const M *)((uintptr_t)w->shared + at - first * sizeof(M));               \
            LANES if (on[i]) d[i] = (W)(V)p[i];                                                    \
            GOTO(ip + 1, 0);                                                                       \
        }                                                                                          \
        if (!a->step && inside(0, w->shared_bytes, at, sizeof(M))) {                               \
            W x = (W)(V) * (const M *)(w->shared + at);                                            \
            LANES d[i] = on[i] ? x : d[i];                                                         \
            GOTO(ip + 1, 0);                                                                       \
        }                                                                                          \
        TAIL(lanes_shared_ld_##T);                                                                 \
    }                                                                                              \
    HANDLER(st_b_##T##_m) {                                                                        \
        const sg_affine *a = AFFINE(ip->a);                                                        \
        uint32_t first = first_lane(w->mask), n = last_lane(w->mask) - first + 1;                  \
        uint64_t at = narrow_sum((uint32_t)a->base + first * (uint32_t)sizeof(M), ip);             \
        const W *d = (const W *)(r + ip->d);                                                       \
        const int32_t *on = w->on;                                                                 \
        if (a->lanewise || a->step != sizeof(M) || at & (sizeof(M) - 1) ||                         \
            !inside(0, w->shared_bytes, at, n * sizeof(M)))                                        \
            TAIL(lanes_shared_st_##T);                                                             \
        M *p = (M *)((uintptr_t)w->shared + at - first * sizeof(M));                               \
        LANES if (on[i]) p[i] = (M)d[i];                                                           \
        GOTO(ip + 1, 0);                                                                           \
    }

#endif
