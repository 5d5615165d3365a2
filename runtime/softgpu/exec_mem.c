/* exec_mem.c: loads and stores. Every access is checked: a request whose lanes are consecutive, or
 * all the same, needs one comparison with the cached range; others are checked lane by lane. The
 * common cases are inlined in the handlers; the others go through run_* functions, and from there
 * to access.c when a lane is not in the cached range.
 *
 * Names: ld_SPACE_TYPE and st_SPACE_TYPE, space g (global and constant, 64-bit addresses), s
 * (shared, 32-bit offsets), l (local, 32-bit offsets), x (generic), p (parameters of a function, at
 * a fixed local offset), k (parameters of the kernel). `_c` counts and checks for races as well.
 * ip->a is the address, ip->offset is added to it, ip->d the register. Vector accesses have their
 * registers in ip->aux. */
#include "runtime/softgpu/exec.h"
#include "runtime/softgpu/vector.h"

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))

enum shape { SCATTERED, UNIT, UNIFORM };

/* Do all lanes of `mask` have address base + size * lane? */
INLINE bool strided(const w64 *a, uint64_t base, uint64_t size, uint32_t mask, const int32_t *on) {
#ifdef __AVX512F__
    (void)on;
    __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), b = _mm512_set1_epi64((int64_t)base);
    uint32_t differ = 0;
    for (int k = 0; k < 4; k++) {
        __m512i want = _mm512_add_epi64(
            b, _mm512_mullox_epi64(_mm512_add_epi64(lane, _mm512_set1_epi64(8 * k)),
                                   _mm512_set1_epi64((int64_t)size)));
        differ |= (uint32_t)_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(a + 8 * k), want) << 8 * k;
    }
    return !(differ & mask);
#else
    uint64_t off = 0;
    if (mask == SG_ALL) {
        LANES off |= a[i] - base - size * (uint64_t)i;
    } else {
        LANES off |= on[i] ? a[i] - base - size * (uint64_t)i : 0;
    }
    return !off;
#endif
}
INLINE bool strided32(const w32 *a, uint32_t base, uint32_t size, uint32_t mask,
                      const int32_t *on) {
#ifdef __AVX512F__
    (void)on;
    __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i b = _mm512_set1_epi32((int32_t)base), step = _mm512_set1_epi32((int32_t)size);
    __m512i low = _mm512_add_epi32(b, _mm512_mullo_epi32(lane, step));
    __m512i high = _mm512_add_epi32(
        b, _mm512_mullo_epi32(_mm512_add_epi32(lane, _mm512_set1_epi32(16)), step));
    uint32_t differ = _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(a), low) |
                      (uint32_t)_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(a + 16), high) << 16;
    return !(differ & mask);
#else
    uint32_t off = 0;
    if (mask == SG_ALL) {
        LANES off |= a[i] - base - size * (uint32_t)i;
    } else {
        LANES off |= on[i] ? a[i] - base - size * (uint32_t)i : 0;
    }
    return !off;
#endif
}

/* How the addresses of all 32 lanes lie: one after another, all the same, or neither. */
INLINE enum shape shape_f(const w64 *a, uint64_t size) {
    uint64_t base = a[0], step = a[1] - base;
    if (step == size)
        return strided(a, base, size, SG_ALL, NULL) ? UNIT : SCATTERED;
    return !step && strided(a, base, 0, SG_ALL, NULL) ? UNIFORM : SCATTERED;
}
/* The same for the active lanes; *base becomes the address lane 0 has, or would have. */
INLINE enum shape shape_m(const w64 *a, const sg_warp *w, uint64_t size, uint64_t *base) {
    uint32_t first = (uint32_t)__builtin_ctz(w->mask), rest = w->mask & (w->mask - 1);
    uint64_t at = a[first];
    *base = at - size * first;
    if (!rest)
        return UNIT;
    uint32_t second = (uint32_t)__builtin_ctz(rest);
    if (a[second] - at == size * (second - first))
        return strided(a, *base, size, w->mask, w->on) ? UNIT : SCATTERED;
    *base = at;
    return a[second] == at && strided(a, at, 0, w->mask, w->on) ? UNIFORM : SCATTERED;
}
INLINE enum shape shape32_f(const w32 *a, uint32_t size) {
    uint32_t base = a[0], step = a[1] - base;
    if (step == size)
        return strided32(a, base, size, SG_ALL, NULL) ? UNIT : SCATTERED;
    return !step && strided32(a, base, 0, SG_ALL, NULL) ? UNIFORM : SCATTERED;
}
INLINE enum shape shape32_m(const w32 *a, const sg_warp *w, uint32_t size, uint32_t *base) {
    uint32_t first = (uint32_t)__builtin_ctz(w->mask), rest = w->mask & (w->mask - 1);
    uint32_t at = a[first];
    *base = at - size * first;
    if (!rest)
        return UNIT;
    uint32_t second = (uint32_t)__builtin_ctz(rest);
    if (a[second] - at == size * (second - first))
        return strided32(a, *base, size, w->mask, w->on) ? UNIT : SCATTERED;
    *base = at;
    return a[second] == at && strided32(a, at, 0, w->mask, w->on) ? UNIFORM : SCATTERED;
}

/* at..at+bytes-1 inside lo..hi-1? */
INLINE bool inside(uint64_t lo, uint64_t hi, uint64_t at, uint64_t bytes) {
    return at >= lo && at < hi && hi - at >= bytes;
}
INLINE uint32_t first_lane(uint32_t mask) {
    return (uint32_t)__builtin_ctz(mask);
}
INLINE uint32_t last_lane(uint32_t mask) {
    return 31 - (uint32_t)__builtin_clz(mask);
}

/* All active lanes' addresses in the cached span and aligned? Then the loops may go without checks.
 */
INLINE bool all_inside(const w64 *a, const sg_warp *w, uint64_t offset, uint64_t lo, uint64_t hi,
                       uint64_t bytes) {
    if (hi - lo < bytes)
        return false;
    uint64_t most = hi - lo - bytes, bad = 0;
    if (w->full) {
        LANES bad |= (uint64_t)(a[i] + offset - lo > most) | ((a[i] + offset) & (bytes - 1));
    } else {
        const int32_t *on = w->on;
        LANES bad |=
            on[i] ? (uint64_t)(a[i] + offset - lo > most) | ((a[i] + offset) & (bytes - 1)) : 0;
    }
    return !bad;
}

/* Loads of words the caller has checked, where the CPU can gather; false: it can't. */
INLINE bool gather32(const sg_warp *w, w32 *d, const w64 *a, uint64_t offset) {
#ifdef __AVX512F__
    for (int k = 0; k < 4; k++) {
        __m512i at =
            _mm512_add_epi64(_mm512_loadu_si512(a + 8 * k), _mm512_set1_epi64((int64_t)offset));
        __m256i old = _mm256_loadu_si256((const __m256i *)(d + 8 * k));
        __m256i x = _mm512_mask_i64gather_epi32(old, (__mmask8)(w->mask >> 8 * k), at, NULL, 1);
        _mm256_storeu_si256((__m256i *)(d + 8 * k), x);
    }
    return true;
#else
    (void)w, (void)d, (void)a, (void)offset;
    return false;
#endif
}
/* Loads of words from shared memory, checked here; false: to be done lane by lane. */
INLINE bool gather_shared32(const sg_warp *w, const sg_op *ip, w32 *d, const w32 *a) {
#ifdef __AVX512F__
    if (w->shared_bytes < 4 || ip->offset != (int32_t)ip->offset)
        return false;
    __m512i offset = _mm512_set1_epi32((int32_t)ip->offset), three = _mm512_set1_epi32(3);
    __m512i most = _mm512_set1_epi32((int32_t)(w->shared_bytes - 4)), at[2];
    uint32_t bad = 0;
    for (int k = 0; k < 2; k++) {
        at[k] = _mm512_add_epi32(_mm512_loadu_si512(a + 16 * k), offset);
        bad |=
            (uint32_t)(_mm512_cmpgt_epu32_mask(at[k], most) | _mm512_test_epi32_mask(at[k], three))
            << 16 * k;
    }
    if (bad & w->mask)
        return false;
    for (int k = 0; k < 2; k++) {
        __mmask16 mask = (__mmask16)(w->mask >> 16 * k);
        __m512i x =
            _mm512_mask_i32gather_epi32(_mm512_loadu_si512(d + 16 * k), mask, at[k], w->shared, 1);
        _mm512_storeu_si512(d + 16 * k, x);
    }
    return true;
#else
    (void)w, (void)ip, (void)d, (void)a;
    return false;
#endif
}

static void count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const w64 *a) {
    sg_count_global(&w->count[ip->line], access, (const uint64_t *)a, ip->offset, w->mask,
                    ip->width);
}
static void count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const w32 *a) {
    sg_count_shared(&w->count[ip->line], access, (const uint32_t *)a, ip->offset, w->mask,
                    ip->width);
    if (w->block->shadow)
        sg_race_shared(w, ip, (const uint32_t *)a, ip->offset, w->mask, ip->width, access);
}
/* An address in shared or local memory has 32 bits, and so has its sum with the offset: compilers rely
 * on it, with a base below 0 and an offset that makes up for it. */
INLINE uint64_t narrow_sum(uint32_t base, const sg_op *ip) {
    return base + (uint32_t)ip->offset;
}

static void count_local(sg_warp *w, const sg_op *ip, enum sg_access access) {
    if (access == SG_READ)
        w->count[ip->line].local_load_requests++;
    else
        w->count[ip->line].local_store_requests++;
}
#define CHECKED (ip->flags & SG_F_COUNT)

/* ---- one element a lane ------------------------------------------------------------------- */

/* M: what lies in memory; W: the lane; V: what the value is extended from (signed or not). */
#define ACCESS(T, M, W, V)                                                                         \
    OUTLINE void run_ld_g_##T(const sg_op *ip, sg_warp *w, W *d, const w64 *a) {                   \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t offset = (uint64_t)ip->offset;                                                    \
        if (!CHECKED && all_inside(a, w, offset, s->rlo, s->rhi, sizeof(M))) {                     \
            if (sizeof(M) == 4 && gather32(w, (w32 *)d, a, offset))                                \
                return;                                                                            \
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
            if (CHECKED || !inside(s->rlo, s->rhi, at, sizeof(M)) || (at & (sizeof(M) - 1)))       \
                s = sg_span_fill(w, ip, (int)i, at, sizeof(M), SG_READ);                           \
            d[i] = (W)(V) * (const M *)(uintptr_t)at;                                              \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_st_g_##T(const sg_op *ip, sg_warp *w, const W *d, const w64 *a) {             \
        const sg_span *s = &w->spans[ip->site];                                                    \
        uint64_t offset = (uint64_t)ip->offset;                                                    \
        if (!CHECKED && all_inside(a, w, offset, s->lo, s->hi, sizeof(M))) {                       \
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
            if (CHECKED || !inside(s->lo, s->hi, at, sizeof(M)) || (at & (sizeof(M) - 1)))         \
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
        if (sizeof(M) == 4 && gather_shared32(w, ip, (w32 *)d, a))                                 \
            return;                                                                                \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            uint64_t at = narrow_sum(a[i], ip);                                                    \
            if (!inside(0, most, at, sizeof(M)) || (at & (sizeof(M) - 1)))                         \
                sg_fault_address(w, ip, (int)i, at, sizeof(M), PTX_SPACE_SHARED, SG_READ);         \
            d[i] = (W)(V) * (const M *)(w->shared + at);                                           \
        }                                                                                          \
    }                                                                                              \
    OUTLINE void run_st_s_##T(const sg_op *ip, sg_warp *w, const W *d, const w32 *a) {             \
        uint64_t most = w->shared_bytes;                                                           \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            uint32_t i = first_lane(m);                                                            \
            uint64_t at = narrow_sum(a[i], ip);                                                    \
            if (!inside(0, most, at, sizeof(M)) || (at & (sizeof(M) - 1)))                         \
                sg_fault_address(w, ip, (int)i, at, sizeof(M), PTX_SPACE_SHARED, SG_WRITE);        \
            *(M *)(w->shared + at) = (M)d[i];                                                      \
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
    HANDLER(slow_ld_g_##T) {                                                                       \
        run_ld_g_##T(ip, w, (W *)(r + ip->d), (const w64 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    HANDLER(slow_st_g_##T) {                                                                       \
        run_st_g_##T(ip, w, (W *)(r + ip->d), (const w64 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    HANDLER(slow_ld_s_##T) {                                                                       \
        run_ld_s_##T(ip, w, (W *)(r + ip->d), (const w32 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    HANDLER(slow_st_s_##T) {                                                                       \
        run_st_s_##T(ip, w, (W *)(r + ip->d), (const w32 *)(r + ip->a));                           \
        GOTO(ip + 1, w->full);                                                                     \
    }                                                                                              \
    VARIANTS(T, M, W, V, f, true)                                                                  \
    VARIANTS(T, M, W, V, m, false)

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

/* Goes on in another handler for the same instruction. */
#define TAIL(handler)                                                                              \
    do {                                                                                           \
        handler(ip, w, r);                                                                         \
        return;                                                                                    \
    } while (0)
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

/* ---- vectors ------------------------------------------------------------------------------ */

/* The lanes' elements lie one after another in memory: n arrays from one, or back. */
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
        if (inside(s->rlo, s->rhi, at, total * 32) && !(at & (total - 1))) {
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
        if (space == PTX_SPACE_GLOBAL && inside(s->rlo, s->rhi, at, total) && !(at & (total - 1)))
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
        if (inside(s->lo, s->hi, at, total * 32) && !(at & (total - 1))) {
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

/* What access.c and atomic.c do for the other instructions. */
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

#define ROWS(T)                                                                                    \
    PAIR(ld_g_##T)                                                                                 \
    PAIR(st_g_##T)                                                                                 \
    PAIR(ld_g_##T##_c) PAIR(st_g_##T##_c) PAIR(ld_s_##T) PAIR(st_s_##T) PAIR(ld_s_##T##_c)         \
        PAIR(st_s_##T##_c) PAIR(ld_x_##T) PAIR(st_x_##T) PAIR(ld_l_##T) PAIR(st_l_##T)             \
            PAIR(ld_p_##T) PAIR(st_p_##T) PAIR(ld_k_##T)
const sg_entry SG_TABLE(mem)[] = {
    ROWS(b32) ROWS(b64) ROWS(u8) ROWS(s8) ROWS(u16) ROWS(s16) BOTH(ld_g_v) BOTH(st_g_v) BOTH(ld_s_v)
        BOTH(st_s_v) BOTH(ld_l_v) BOTH(st_l_v) BOTH(ld_x_v) BOTH(st_x_v) BOTH(atom) BOTH(cp_async)
            BOTH(spin_mark){NULL, NULL, NULL}};
