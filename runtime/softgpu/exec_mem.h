/* exec_mem.h: what the handlers of memory instructions share: how the addresses of a warp lie, and
 * counting. Each exec_*.c that includes it gets its own copies, for its instruction set. */
#ifndef SOFTGPU_EXEC_MEM_H
#define SOFTGPU_EXEC_MEM_H

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

/* Counts a request. With one distance from lane to lane, as nearly always, it follows from that;
 * counters.c does the others. `step` is a multiple of the access's size. */
static inline void count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const w64 *a) {
    sg_counters *c = &w->count[ip->line];
    int64_t step = (int64_t)(a[1] - a[0]);
    uint64_t first = a[0] + (uint64_t)ip->offset, last = a[31] + (uint64_t)ip->offset, sectors;
    if (!w->full || access == SG_ATOMIC || ip->width > 32 || first & (ip->width - 1u) ||
        !strided(a, a[0], (uint64_t)step, SG_ALL, NULL)) {
        sg_count_global(c, access, (const uint64_t *)a, ip->offset, w->mask, ip->width);
        return;
    }
    if (step < 0) {
        uint64_t swap = first;
        first = last;
        last = swap;
        step = -step;
    }
    sectors = step >= 32 ? SG_LANES : ((last + ip->width - 1) >> 5) - (first >> 5) + 1;
    if (access == SG_READ) {
        c->global_load_requests++;
        c->global_load_sectors += sectors;
        c->global_load_bytes += SG_LANES * (uint64_t)ip->width;
    } else {
        c->global_store_requests++;
        c->global_store_sectors += sectors;
        c->global_store_bytes += SG_LANES * (uint64_t)ip->width;
    }
}
static inline void count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const w32 *a) {
    sg_counters *c = &w->count[ip->line];
    uint32_t step = a[1] - a[0];
    /* A stride of k words meets gcd(k, 32) lanes in each bank it uses. */
    if (!w->full || access == SG_ATOMIC || ip->width > 4 || (step & 3 && step > 4) ||
        !strided32(a, a[0], step, SG_ALL, NULL)) {
        sg_count_shared(c, access, (const uint32_t *)a, ip->offset, w->mask, ip->width);
    } else {
        uint32_t wavefronts = step <= 4 ? 1 : step & 127 ? (step & -step) / 4 : SG_LANES;
        if (access == SG_READ) {
            c->shared_load_requests++;
            c->shared_load_wavefronts += wavefronts;
        } else {
            c->shared_store_requests++;
            c->shared_store_wavefronts += wavefronts;
        }
    }
    if (w->block->shadow)
        sg_race_shared(w, ip, (const uint32_t *)a, ip->offset, w->mask, ip->width, access);
}
/* An address in shared or local memory has 32 bits, and so has its sum with the offset: compilers
 * rely on it, with a base below 0 and an offset that makes up for it. */
INLINE uint64_t narrow_sum(uint32_t base, const sg_op *ip) {
    return base + (uint32_t)ip->offset;
}

static inline void count_local(sg_warp *w, const sg_op *ip, enum sg_access access) {
    if (access == SG_READ)
        w->count[ip->line].local_load_requests++;
    else
        w->count[ip->line].local_store_requests++;
}
#define CHECKED (ip->flags & SG_F_COUNT)
/* Every lane's access goes through sg_span_fill, which knows what was written. */
#define WATCHED (CHECKED && (w->block->run->launch->options & SG_INITCHECK))

#endif
