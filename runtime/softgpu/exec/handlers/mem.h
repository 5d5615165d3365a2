/* mem.h: shared by the handlers of memory instructions: the pattern of a warp's addresses, and
 * counting. Each file that includes it gets its own copies, for its instruction set. */
#pragma once

#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/exec.h"
#include "runtime/softgpu/exec/vector.h"
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/check/init.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/trace/trace.h"

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))

/* Continues in another handler for the same instruction. */
#define TAIL(handler)                                                                              \
    do {                                                                                           \
        handler(ip, w, r);                                                                         \
        return;                                                                                    \
    } while (0)

/* ..._ROWS: the pattern holds for each half of the warp, as in blocks of 16 x 16 threads. */
enum shape { SCATTERED, UNIT, UNIFORM, UNIT_ROWS, UNIFORM_ROWS };
#define ROW (SG_LANES / 2)
#define ROW_LANES IVDEP for (int i = 0; i < ROW; i++)

INLINE uint32_t first_lane(uint32_t mask) {
    return (uint32_t)__builtin_ctz(mask);
}
INLINE uint32_t last_lane(uint32_t mask) {
    return 31 - (uint32_t)__builtin_clz(mask);
}

#ifdef __AVX512F__
/* Returns acc with the bits added in which a and b differ. */
INLINE __m512i or_differ(__m512i acc, __m512i a, __m512i b) {
    return _mm512_ternarylogic_epi64(acc, a, b, 0xf6);
}
#endif

/* Returns true if all lanes of `mask` have address base + size * lane. */
INLINE bool strided64(const w64 *a, uint64_t base, uint64_t size, uint32_t mask,
                      const int32_t *on) {
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

/* Returns true if lanes i and ROW + i have base + size * i and next + size * i. */
INLINE bool rows64(const w64 *a, uint64_t base, uint64_t next, uint64_t size) {
#ifdef __AVX512F__
    __m512i off = _mm512_setzero_si512(), b = _mm512_set1_epi64((int64_t)base),
            n = _mm512_set1_epi64((int64_t)next);
    for (int k = 0; k < ROW; k += 8) {
        int64_t s = (int64_t)size, at = k * s;
        __m512i step = _mm512_set_epi64(at + 7 * s, at + 6 * s, at + 5 * s, at + 4 * s, at + 3 * s,
                                        at + 2 * s, at + s, at);
        off = or_differ(off, _mm512_loadu_si512(a + k), _mm512_add_epi64(b, step));
        off = or_differ(off, _mm512_loadu_si512(a + ROW + k), _mm512_add_epi64(n, step));
    }
    return !_mm512_test_epi64_mask(off, off);
#else
    uint64_t off = 0;
    ROW_LANES off |= (a[i] - base - size * (uint64_t)i) | (a[ROW + i] - next - size * (uint64_t)i);
    return !off;
#endif
}
INLINE bool rows32(const w32 *a, uint32_t base, uint32_t next, uint32_t size) {
#ifdef __AVX512F__
    int32_t s = (int32_t)size;
    __m512i step = _mm512_set_epi32(15 * s, 14 * s, 13 * s, 12 * s, 11 * s, 10 * s, 9 * s, 8 * s,
                                    7 * s, 6 * s, 5 * s, 4 * s, 3 * s, 2 * s, s, 0);
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int32_t)base), step);
    __m512i high = _mm512_add_epi32(_mm512_set1_epi32((int32_t)next), step);
    __m512i off = _mm512_xor_si512(_mm512_loadu_si512(a), low);
    off = or_differ(off, _mm512_loadu_si512(a + ROW), high);
    return !_mm512_test_epi32_mask(off, off);
#else
    uint32_t off = 0;
    ROW_LANES off |= (a[i] - base - size * (uint32_t)i) | (a[ROW + i] - next - size * (uint32_t)i);
    return !off;
#endif
}

/* shape_f returns the pattern of all 32 addresses. `size` is a compile-time constant. shape_m does
 * the same for the active lanes; it never returns a pattern of rows. */
#define SHAPES(bits, word, number)                                                                 \
    INLINE enum shape shape##bits##_f(const word *a, number size) {                                \
        number base = a[0], step = a[1] - base, next = a[ROW];                                     \
        if (step == size && rows##bits(a, base, next, size))                                       \
            return next == base + ROW * size ? UNIT : UNIT_ROWS;                                   \
        if (step == size || step || !rows##bits(a, base, next, 0))                                 \
            return SCATTERED;                                                                      \
        return next == base ? UNIFORM : UNIFORM_ROWS;                                              \
    }                                                                                              \
    INLINE enum shape shape##bits##_m(const word *a, const sg_warp *w, number size) {              \
        uint32_t first = first_lane(w->mask), rest = w->mask & (w->mask - 1);                      \
        number at = a[first];                                                                      \
        if (!rest)                                                                                 \
            return UNIT;                                                                           \
        uint32_t second = first_lane(rest);                                                        \
        if (a[second] - at == size * (second - first))                                             \
            return strided##bits(a, at - size * first, size, w->mask, w->on) ? UNIT : SCATTERED;   \
        return a[second] == at && strided##bits(a, at, 0, w->mask, w->on) ? UNIFORM : SCATTERED;   \
    }
SHAPES(64, w64, uint64_t)
SHAPES(32, w32, uint32_t)

/* Returns true if at..at+bytes-1 is inside lo..hi-1. lo and hi are below 2^63 (spans and sizes of
 * shared memory). hi - bytes may be below 0; then the result is false. */
INLINE bool inside(uint64_t lo, uint64_t hi, uint64_t at, uint64_t bytes) {
    return (int64_t)at >= (int64_t)lo && (int64_t)at <= (int64_t)(hi - bytes);
}

/* Returns an address in shared or local memory. The sum with the offset has 32 bits too: compilers
 * rely on it, with a base below 0 and an offset that makes up for it. */
INLINE uint64_t narrow_sum(uint32_t base, const sg_op *ip) {
    return base + (uint32_t)ip->offset;
}

/* The pattern of a request's lanes, and the address of the first active one. */
struct lie {
    enum shape shape;
    uint64_t at;
};
INLINE struct lie lie_of(const sg_op *ip, const sg_warp *w, const w64 *a, uint64_t size,
                         bool full) {
    return (struct lie){full ? shape64_f(a, size) : shape64_m(a, w, size),
                        a[full ? 0 : first_lane(w->mask)] + (uint64_t)ip->offset};
}
INLINE struct lie lie_of32(const sg_op *ip, const sg_warp *w, const w32 *a, uint32_t size,
                           bool full) {
    return (struct lie){full ? shape32_f(a, size) : shape32_m(a, w, size),
                        narrow_sum(a[full ? 0 : first_lane(w->mask)], ip)};
}

/* The same for an affine register as address (lower/affine.c), whose record gives the pattern. */
INLINE struct lie lie_of_record(const sg_op *ip, const sg_warp *w, char *r, uint64_t size,
                                bool full) {
    const sg_affine *a = AFFINE(ip->a);
    uint64_t at = a->base + (full ? 0 : first_lane(w->mask) * a->step);
    return (struct lie){a->lanewise       ? SCATTERED
                        : a->step == size ? UNIT
                        : a->step         ? SCATTERED
                                          : UNIFORM,
                        at};
}
/* Returns true if lanes `step` bytes apart are all inside lo..hi-1. The limit keeps the last
 * address from wrapping. */
INLINE bool stride_inside(uint64_t lo, uint64_t hi, uint64_t at, int64_t step, uint64_t bytes) {
    return step < (1ll << 40) && step > -(1ll << 40) && inside(lo, hi, at, bytes) &&
           inside(lo, hi, at + 31 * (uint64_t)step, bytes) &&
           !((at | (uint64_t)step) & (bytes - 1));
}

/* Memory with the valid addresses lo..hi-1. Address k is at memory + k. */
struct reach {
    uintptr_t memory;
    uint64_t lo, hi;
};
INLINE struct reach readable(const sg_op *ip, const sg_warp *w) {
    const sg_span *s = &w->spans[ip->site];
    return (struct reach){0, s->rlo, s->rhi};
}
INLINE struct reach writable(const sg_op *ip, const sg_warp *w) {
    const sg_span *s = &w->spans[ip->site];
    return (struct reach){0, s->lo, s->hi};
}
INLINE struct reach shared_memory(const sg_warp *w) {
    return (struct reach){(uintptr_t)w->shared, 0, w->shared_bytes};
}

/* The result of the fast paths. For IN_ROWS (a row per half of the warp) and IN_PAIR (an address
 * per half), a further handler does the access out of line. */
enum served { NOT_SERVED, IN_ROWS, IN_PAIR, SERVED };

/* Prefetches the address that this access probably uses next, in the next turn of a loop or the
 * next block: as far from here as here from the last. That hides the memory's latency, which a
 * handler alone cannot. ip->e is the place of the last address. */
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

/* Returns true if all active lanes' addresses are in the cached span and aligned. The loops then
 * need no checks. */
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

/* Loads of 32 words that the caller has checked. They are assembled in registers as wide as the
 * handlers' vectors, because smaller stores would stall the handler that loads them next. Gather
 * instructions are slower on AMD's CPUs and no faster on Intel's. */
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

/* Counts a request. Lanes at equal distances, by far the most frequent, are counted here;
 * counters.c counts the others. `step` is a multiple of the access's size. */
static inline void count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const w64 *a) {
    int64_t step = (int64_t)(a[1] - a[0]);
    uint64_t first = a[0] + (uint64_t)ip->offset, last = a[31] + (uint64_t)ip->offset, sectors;
    w->wrote |= access == SG_WRITE;
    if (w->block->shadow)
        sg_race_global(w, ip, (const uint64_t *)a, ip->offset, w->mask, ip->width, access);
    if (!w->full || w->record || access == SG_ATOMIC || ip->width > 32 ||
        first & (ip->width - 1u) || (access == SG_READ && ip->flags & SG_F_CONSTANT) ||
        !strided64(a, a[0], (uint64_t)step, SG_ALL, NULL)) {
        sg_count_global(w, ip, access, (const uint64_t *)a, ip->offset, w->mask, ip->width);
        return;
    }
    if (w->block->run->trace)
        sg_trace_global(w, ip, access, (const uint64_t *)a, ip->offset, SG_ALL, ip->width,
                        step == ip->width);
    if (step < 0) {
        uint64_t swap = first;
        first = last;
        last = swap;
        step = -step;
    }
    uint64_t bytes = SG_LANES * (uint64_t)ip->width, used = step ? bytes : ip->width;
    sectors = step >= 32 ? SG_LANES : ((last + ip->width - 1) >> 5) - (first >> 5) + 1;
    sg_count_request(&w->count[ip->line], access, sectors, bytes, used);
}
static inline void count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const w32 *a) {
    uint32_t step = a[1] - a[0];
    w->wrote |= access == SG_WRITE;
    /* a stride of k words puts gcd(k, 32) lanes on each bank it uses */
    if (!w->full || w->record || access == SG_ATOMIC || ip->width > 4 || (step & 3 && step > 4) ||
        !strided32(a, a[0], step, SG_ALL, NULL)) {
        sg_count_shared(w, ip, access, (const uint32_t *)a, ip->offset, w->mask, ip->width);
    } else {
        uint32_t wavefronts = step <= 4 ? 1 : step & 127 ? (step & -step) / 4 : SG_LANES;
        if (w->block->run->trace)
            sg_trace_shared(w, ip, access, (const uint32_t *)a, ip->offset, SG_ALL, wavefronts);
        sg_count_wavefronts(&w->count[ip->line], access, wavefronts);
    }
    if (w->block->shadow)
        sg_race_shared(w, ip, (const uint32_t *)a, ip->offset, w->mask, ip->width, access);
    if (w->block->written)
        sg_init_shared(w, ip, (const uint32_t *)a, ip->offset, w->mask, ip->width, access);
}
static inline void count_local(sg_warp *w, const sg_op *ip, enum sg_access access) {
    w->wrote |= access == SG_WRITE;
    if (w->block->run->trace)
        sg_trace_local(w, ip);
    if (access == SG_READ)
        w->count[ip->line].local_load_requests++;
    else
        w->count[ip->line].local_store_requests++;
}
/* Returns true if every active lane's generic address is in global memory. */
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
/* Returns true if all are in shared memory. Then sets low to the addresses there. */
static inline bool all_shared(const sg_op *ip, const sg_warp *w, const w64 *a, w32 low[SG_LANES]) {
    bool all = true;
    EACH_LANE {
        low[i] = (uint32_t)a[i];
        all &= ((a[i] + (uint64_t)ip->offset) & SG_WINDOW_MASK) == SG_SHARED_WINDOW;
    }
    return all;
}
/* Returns the row of local memory that all lanes use if they share a word-aligned offset, else
 * NULL. */
INLINE w32 *local_row(const sg_op *ip, sg_warp *w, const w32 *a, bool full, uint32_t bytes) {
    struct lie lie = lie_of32(ip, w, a, 0, full);
    if ((lie.shape != UNIT && lie.shape != UNIFORM) || (lie.at & 3) ||
        !inside(0, w->local_bytes, lie.at, bytes))
        return NULL;
    return (w32 *)(w->local + lie.at / 4 * 128);
}

#define CHECKED (ip->flags & SG_F_COUNT)
/* Every lane's access goes through sg_span_fill(), which knows what was written. */
#define INIT_WATCHED (w->block->run->launch->options & SG_INITCHECK)
#define WATCHED (CHECKED && INIT_WATCHED)
