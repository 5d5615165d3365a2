/* mem.h: what the handlers of memory instructions share: how the addresses of a warp lie, and
 * counting. Each file that includes it gets its own copies, for its instruction set. */
#ifndef SOFTGPU_EXEC_MEM_H
#define SOFTGPU_EXEC_MEM_H

#include "runtime/softgpu/exec/exec.h"
#include "runtime/softgpu/watch/race.h"
#include "runtime/softgpu/exec/vector.h"

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))

/* Goes on in another handler for the same instruction. */
#define TAIL(handler)                                                                              \
    do {                                                                                           \
        handler(ip, w, r);                                                                         \
        return;                                                                                    \
    } while (0)

enum shape { SCATTERED, UNIT, UNIFORM };

#ifdef __AVX512F__
/* Bits that are set in any of acc or in which a and b differ. */
INLINE __m512i or_differ(__m512i acc, __m512i a, __m512i b) {
    return _mm512_ternarylogic_epi64(acc, a, b, 0xf6);
}
#endif

/* Do all lanes of `mask` have address base + size * lane? */
INLINE bool strided(const w64 *a, uint64_t base, uint64_t size, uint32_t mask, const int32_t *on) {
#ifdef __AVX512F__
    (void)on;
    __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), b = _mm512_set1_epi64((int64_t)base);
    __m512i off = _mm512_setzero_si512();
    uint32_t differ = 0;
    for (int k = 0; k < 4; k++) {
        __m512i want = _mm512_add_epi64(
            b, _mm512_mullox_epi64(_mm512_add_epi64(lane, _mm512_set1_epi64(8 * k)),
                                   _mm512_set1_epi64((int64_t)size)));
        if (mask == SG_ALL)
            off = or_differ(off, _mm512_loadu_si512(a + 8 * k), want);
        else
            differ |= (uint32_t)_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(a + 8 * k), want)
                      << 8 * k;
    }
    return mask == SG_ALL ? !_mm512_test_epi64_mask(off, off) : !(differ & mask);
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
    if (mask == SG_ALL) {
        __m512i off = _mm512_xor_si512(_mm512_loadu_si512(a), low);
        off = or_differ(off, _mm512_loadu_si512(a + 16), high);
        return !_mm512_test_epi32_mask(off, off);
    }
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

/* at..at+bytes-1 inside lo..hi-1? lo and hi are below 2^63 (spans and sizes of shared memory), and
 * hi - bytes may be below 0: then nothing is. */
INLINE bool inside(uint64_t lo, uint64_t hi, uint64_t at, uint64_t bytes) {
    return (int64_t)at >= (int64_t)lo && (int64_t)at <= (int64_t)(hi - bytes);
}
INLINE uint32_t first_lane(uint32_t mask) {
    return (uint32_t)__builtin_ctz(mask);
}
INLINE uint32_t last_lane(uint32_t mask) {
    return 31 - (uint32_t)__builtin_clz(mask);
}

/* A warp comes back to an access in the next turn of a loop or in the next block, mostly as far
 * from here as this time from the last. Asking for that line now hides the memory's latency, which
 * a handler alone does not fill. ip->e is the place of the last address. */
INLINE void prefetch_next(const sg_op *ip, char *r, uint64_t at, uint64_t bytes, bool write) {
    w64 *last = (w64 *)(r + ip->e);
    const char *next = (const char *)(uintptr_t)(2 * at - *last);
    *last = at;
    for (uint64_t k = 0; k < bytes; k += 64) {
        if (write)
            __builtin_prefetch(next + k, 1);
        else
            __builtin_prefetch(next + k, 0);
    }
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

/* The same in shared memory. */
INLINE bool all_inside_shared(const w32 *a, const sg_warp *w, uint32_t offset, uint32_t bytes) {
    if (w->shared_bytes < bytes)
        return false;
    uint32_t most = w->shared_bytes - bytes, bad = 0;
    if (w->full) {
        LANES bad |= (uint32_t)(a[i] + offset > most) | ((a[i] + offset) & (bytes - 1));
    } else {
        const int32_t *on = w->on;
        LANES bad |= on[i] ? (uint32_t)(a[i] + offset > most) | ((a[i] + offset) & (bytes - 1)) : 0;
    }
    return !bad;
}

/* Loads of 32 words that the caller has checked. They are put together in registers as large as the
 * handlers' vectors: what is stored in smaller parts stalls the handler that loads it next. Gather
 * instructions take longer than this on AMD's CPUs and no less on Intel's. */
#if defined(__AVX512F__)
#define N_WORDS 16
#define WORDS(AT, i)                                                                               \
    (words) {                                                                                      \
        AT(i), AT(i + 1), AT(i + 2), AT(i + 3), AT(i + 4), AT(i + 5), AT(i + 6), AT(i + 7),        \
            AT(i + 8), AT(i + 9), AT(i + 10), AT(i + 11), AT(i + 12), AT(i + 13), AT(i + 14),      \
            AT(i + 15)                                                                             \
    }
#elif defined(__AVX2__)
#define N_WORDS 8
#define WORDS(AT, i)                                                                               \
    (words) {                                                                                      \
        AT(i), AT(i + 1), AT(i + 2), AT(i + 3), AT(i + 4), AT(i + 5), AT(i + 6), AT(i + 7)         \
    }
#else
#define N_WORDS 4
#define WORDS(AT, i)                                                                               \
    (words) {                                                                                      \
        AT(i), AT(i + 1), AT(i + 2), AT(i + 3)                                                     \
    }
#endif
typedef uint32_t words __attribute__((vector_size(4 * N_WORDS), aligned(4), may_alias));

INLINE void gather32(w32 *d, const w64 *a, uint64_t offset) {
#define AT(i) (*(const w32 *)(uintptr_t)(a[i] + offset))
    for (int i = 0; i < SG_LANES; i += N_WORDS)
        *(words *)(d + i) = WORDS(AT, i);
#undef AT
}
INLINE void gather32_stride(w32 *d, uint64_t at, uint64_t step) {
#define AT(i) (*(const w32 *)(uintptr_t)(at + step * (uint64_t)(i)))
    for (int i = 0; i < SG_LANES; i += N_WORDS)
        *(words *)(d + i) = WORDS(AT, i);
#undef AT
}
INLINE void gather_shared32(w32 *d, const w32 *a, const char *shared, uint32_t offset) {
#define AT(i) (*(const w32 *)(shared + (uint32_t)(a[i] + offset)))
    for (int i = 0; i < SG_LANES; i += N_WORDS)
        *(words *)(d + i) = WORDS(AT, i);
#undef AT
}

/* Counts a request. With one distance from lane to lane, as nearly always, it follows from that;
 * counters.c does the others. `step` is a multiple of the access's size. */
static inline void count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const w64 *a) {
    sg_counters *c = &w->count[ip->line];
    int64_t step = (int64_t)(a[1] - a[0]);
    uint64_t first = a[0] + (uint64_t)ip->offset, last = a[31] + (uint64_t)ip->offset, sectors;
    w->wrote |= access == SG_WRITE;
    if (w->block->shadow)
        sg_race_global(w, ip, (const uint64_t *)a, ip->offset, w->mask, ip->width, access);
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
    w->wrote |= access == SG_WRITE;
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
    w->wrote |= access == SG_WRITE;
    if (access == SG_READ)
        w->count[ip->line].local_load_requests++;
    else
        w->count[ip->line].local_store_requests++;
}
#define CHECKED (ip->flags & SG_F_COUNT)
/* Every lane's access goes through sg_span_fill, which knows what was written. */
#define WATCHED (CHECKED && (w->block->run->launch->options & SG_INITCHECK))

#endif
