/* race.c: records accesses, and finds two that nothing orders. A granule (README.md, "Records")
 * keeps its last write and up to two later reads, each as a record of 64 bits:
 *
 * interval 32 | thread of the block 10 | strong 1 | update 1 | ordinal of the op 20
 *
 * Two reads suffice to find that a write races with some read. They must belong to two warps, and
 * to two blocks if two blocks read. The algorithm is a simplified FastTrack (Flanagan and Freund,
 * "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009), without vector clocks:
 * there are too many blocks. */
#include "runtime/softgpu/watch/check/race.h"

#include <sys/resource.h>

#include "runtime/base/base.h"

#define PAGE_BITS 12
#define PAGE_BYTES (1u << PAGE_BITS)
#define N_BUCKETS 65536

#define INTERVAL_BIT 32
#define WARP_BIT 27 /* bits from here on: the interval and the warp */
#define THREAD_BIT 22
#define STRONG (1u << 21)
#define UPDATE (1u << 20) /* writes what the warp has read in this interval */
#define ORDINAL_NONE (UPDATE - 1)
#define HISTORY (UINT64_MAX << WARP_BIT | STRONG) /* the bits that decide about order */
#define NOWHERE (-1)
#define INTERVAL(record) ((uint32_t)((record) >> INTERVAL_BIT))
#define THREAD(record) ((uint32_t)((record) >> THREAD_BIT) & 1023)
#define ORDINAL(record) ((uint32_t)(record)&ORDINAL_NONE)

typedef struct granule {
    uint64_t write, read[2]; /* 0: none */
} granule;

typedef struct page {
    uint64_t number; /* its first address / PAGE_BYTES */
    struct page *next;
    granule *granules; /* PAGE_BYTES >> shift of them; NULL: out of memory */
    uint32_t shift;
} page;

struct sg_shadow {
    uint32_t n_pages;
    page pages[];
};

typedef struct interval {
    uint64_t block;
    uint64_t began;    /* the launch's clock at the start */
    uint64_t released; /* of the first interval: the block's last release; 0: none */
    uint32_t epoch;    /* the warp's number of barriers */
    uint32_t first;    /* the block's first interval */
} interval;

struct sg_races {
    uint64_t clock;       /* counts releases and acquires */
    uint64_t looks, most; /* accesses of lanes so far; their limit, 0: none */
    interval *intervals;
    uint32_t n_intervals, cap_intervals; /* number 0 is unused */
    size_t bytes, limit;
    page *buckets[N_BUCKETS];
};

/* ---- memory --------------------------------------------------------------------------------- */

/* Returns the limit of a launch's shadow memory: $WARPBOOK_SOFTGPU_SHADOW, or a quarter of the
 * memory that the process may have. */
static size_t limit_bytes(void) {
    uint64_t set = wb_setting_number("WARPBOOK_SOFTGPU_SHADOW", 0, UINT64_MAX);
    if (set != UINT64_MAX)
        return set;
    static _Atomic size_t machine;
    if (!machine)
        machine = wb_memory_machine();
    size_t all = machine ? machine : (size_t)1 << 32;
    struct rlimit data;
    if (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY && data.rlim_cur < all)
        all = (size_t)data.rlim_cur;
    return all / 4;
}

static void tell_missing(void) {
    static _Atomic bool told;
    if (!atomic_exchange(&told, true))
        fprintf(stderr,
                _("softgpu: there is not enough memory to check all accesses for races, so "
                  "some are not checked (WARPBOOK_SOFTGPU_SHADOW sets the limit in bytes)\n"));
}

/* Returns zeroed memory. Returns NULL at the limit or without memory, and reports it on stderr. */
static void *obtain(sg_races *s, size_t bytes) {
    void *p = bytes <= s->limit - s->bytes ? calloc(1, bytes) : NULL;
    if (p)
        s->bytes += bytes;
    else
        tell_missing();
    return p;
}

sg_races *sg_races_new(uint64_t most) {
    size_t limit = limit_bytes();
    sg_races *s = sizeof *s <= limit ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        tell_missing();
        return NULL;
    }
    s->limit = limit;
    s->bytes = sizeof *s;
    s->n_intervals = 1;
    s->most = most;
    return s;
}

void sg_races_free(sg_races *s) {
    for (size_t k = 0; s && k < N_BUCKETS; k++)
        while (s->buckets[k]) {
            page *p = s->buckets[k];
            s->buckets[k] = p->next;
            WB_FREE(p->granules, p);
        }
    if (s)
        free(s->intervals);
    free(s);
}

sg_shadow *sg_shadow_new(sg_races *s, uint32_t shared_bytes) {
    uint32_t n = (shared_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    sg_shadow *shadow = obtain(s, sizeof *shadow + n * sizeof(page));
    if (!shadow)
        return NULL;
    shadow->n_pages = n;
    for (uint32_t k = 0; k < n; k++) {
        shadow->pages[k].shift = 2;
        shadow->pages[k].granules = obtain(s, (PAGE_BYTES >> 2) * sizeof(granule));
    }
    return shadow;
}

void sg_shadow_free(sg_shadow *shadow) {
    for (uint32_t k = 0; shadow && k < shadow->n_pages; k++)
        free(shadow->pages[k].granules);
    free(shadow);
}

static page *global_page(sg_races *s, uint64_t number) {
    page **bucket = &s->buckets[number * 0x9e3779b97f4a7c15ull >> 48];
    for (page *p = *bucket; p; p = p->next)
        if (p->number == number)
            return p;
    page *p = obtain(s, sizeof *p);
    if (!p)
        return NULL;
    *p = (page){number, *bucket, obtain(s, (PAGE_BYTES >> 2) * sizeof(granule)), 2};
    return *bucket = p;
}

/* Divides the page into granules that fit an access of `bytes` bytes. */
static void page_split(sg_races *s, page *p, uint32_t bytes) {
    uint32_t shift = bytes == 1 ? 0 : 1, ratio = p->shift - shift;
    granule *finer = obtain(s, (PAGE_BYTES >> shift) * sizeof *finer);
    for (uint32_t k = 0; finer && k < PAGE_BYTES >> shift; k++)
        finer[k] = p->granules[k >> ratio];
    free(p->granules);
    s->bytes -= (PAGE_BYTES >> p->shift) * sizeof *finer;
    p->granules = finer;
    p->shift = shift;
}

/* ---- intervals ------------------------------------------------------------------------------ */

void sg_race_block_starts(sg_block *b) {
    b->interval = b->first_interval = 0;
    b->acquired = 0;
    for (uint32_t k = 0; k < b->n_warps; k++)
        b->warps[k].released = b->warps[k].acquired = 0;
}

/* Returns the number of the warp's interval, or 0 if there is no memory for one. */
static uint32_t interval_of(sg_races *s, const sg_warp *w) {
    sg_block *b = w->block;
    if (b->interval && s->intervals[b->interval].epoch == w->epoch)
        return b->interval;
    if (s->n_intervals >= s->cap_intervals) {
        size_t cap = s->cap_intervals ? 2 * (size_t)s->cap_intervals : 1024;
        size_t more = (cap - s->cap_intervals) * sizeof(interval);
        interval *grown = cap <= UINT32_MAX && more <= s->limit - s->bytes
                              ? realloc(s->intervals, cap * sizeof *grown)
                              : NULL;
        if (!grown) {
            tell_missing();
            return 0;
        }
        s->bytes += more;
        s->intervals = grown;
        s->cap_intervals = (uint32_t)cap;
    }
    uint32_t at = s->n_intervals++;
    if (!b->first_interval)
        b->first_interval = at;
    s->intervals[at] = (interval){b->id, s->clock, 0, w->epoch, b->first_interval};
    return b->interval = at;
}

void sg_race_synchronise(sg_warp *w, unsigned how) {
    sg_block *b = w->block;
    sg_races *s = b->run->races;
    if (!s)
        return;
    s->clock++;
    if (how & SG_RACE_RELEASE) {
        w->released = s->clock;
        if (b->first_interval && !(how & SG_RACE_BLOCK))
            s->intervals[b->first_interval].released = s->clock;
        b->interval = 0;
    }
    if (how & SG_RACE_ACQUIRE) {
        w->acquired = s->clock;
        if (!(how & SG_RACE_BLOCK))
            b->acquired = s->clock;
    }
}

static void synchronise(sg_warp *w, const sg_op *ip, char *r) {
    (void)r;
    sg_race_synchronise(w, ip->mode);
}
void (*const sg_race_sync)(sg_warp *w, const sg_op *ip, char *r) = synchronise;

/* ---- the check ------------------------------------------------------------------------------ */

typedef struct check { /* one request */
    sg_warp *w;
    const sg_op *ip;
    sg_races *s;
    ptx_space space;
    uint32_t mask;
    const uint64_t *at; /* the lanes' addresses */
    bool writes, values;
    uint64_t me; /* the current lane's record */
    bool looked; /* `before` is the history of the granule checked last */
    granule before;
    int slot;     /* the slot for a read */
    bool guesses; /* is_guess() returned true, which depends on the op */
} check;

/* Returns true if something orders the earlier access before this one. A warp runs converged, so
 * its own accesses are in order. A barrier orders its block. A release by the other side and an
 * acquire here may order warps and blocks. */
static bool ordered(const check *c, uint64_t record) {
    const sg_warp *w = c->w;
    const interval *then = &c->s->intervals[INTERVAL(record)];
    if (then->block != w->block->id)
        return c->space == PTX_SPACE_SHARED || /* by the block that used this memory before */
               (c->s->intervals[then->first].released > then->began &&
                w->block->acquired > then->began);
    uint32_t warp = THREAD(record) / SG_LANES;
    return warp == w->index || then->epoch != w->epoch ||
           (w->block->warps[warp].released > then->began && w->acquired > then->began);
}

static _Noreturn void report(const check *c, uint64_t record, bool wrote, bool in_lockstep) {
    const sg_warp *w = c->w;
    const interval *then = &c->s->intervals[INTERVAL(record)];
    int lane = (int)(THREAD(c->me) % SG_LANES);
    sg_race race = {.space = c->space,
                    .address = c->at[lane],
                    .writes = c->writes,
                    .wrote = wrote,
                    .is_strong = c->me & STRONG,
                    .was_strong = record & STRONG,
                    .same_block = then->block == w->block->id,
                    .in_lockstep = in_lockstep,
                    .unreleased = (then->block == w->block->id ? w->acquired : w->block->acquired) >
                                  then->began,
                    .block = then->block,
                    .thread = THREAD(record),
                    .ordinal = ORDINAL(record)};
    sg_race_report(c->w, c->ip, lane, &race);
}

static bool is_cas(const sg_warp *w, uint64_t record) {
    const ptx_inst *inst = sg_race_instruction(w, ORDINAL(record));
    return inst && !strcmp(inst->opcode, "atom") && ptx_modified(inst, "cas");
}

/* Returns true for a plain read that precedes a loop of atomicCAS(), and such a loop elsewhere. The
 * CUDA C++ Programming Guide builds atomics so: the atomic itself checks the guessed value. */
static bool is_guess(check *c, uint64_t record, bool wrote) {
    uint64_t read = wrote ? c->me : record, write = wrote ? record : c->me;
    bool guess = c->writes != wrote && !(read & STRONG) && write & STRONG && is_cas(c->w, write);
    c->guesses |= guess;
    return guess;
}

/* Returns true if the accesses have no order and are not both strong. The first test is a shortcut:
 * same interval and warp. */
static inline bool conflicts(check *c, uint64_t record, bool wrote) {
    return record && (record ^ c->me) >> WARP_BIT && !(record & c->me & STRONG) &&
           !ordered(c, record) && !is_guess(c, record, wrote);
}

/* Returns the slot for a read: 0, 1, or NOWHERE if the two records there suffice. */
static int slot_for(const check *c, const granule *g) {
    bool strong = c->me & STRONG;
    for (int k = 0; k < 2; k++) {
        uint64_t r = g->read[k];
        bool weaker = r && strong && !(r & STRONG); /* a plain read races with atomics too */
        bool older = !r || !((r ^ c->me) >> WARP_BIT) || ordered(c, r);
        if ((older && !weaker) || (r & STRONG && !strong))
            return k; /* whatever races with an older read races with this one too */
    }
    const interval *i = c->s->intervals;
    uint64_t one = i[INTERVAL(g->read[0])].block, two = i[INTERVAL(g->read[1])].block;
    return one == two && one != c->w->block->id ? 1 : NOWHERE;
}

/* Returns true if two lanes store the same value with this op, which has SG_RACE_VALUES. */
static bool same_values(const sg_warp *w, const sg_op *ip, uint32_t i, uint32_t j) {
    const sg_vector *v = ip->aux;
    for (uint32_t k = 0; k < (v ? v->n : 1); k++) {
        uint32_t bytes = v ? v->bytes : ip->width;
        const char *place = w->r + (v ? v->places[k] : ip->d);
        uint32_t lane = bytes == 8 ? 8 : 4; /* little-endian: a narrow value comes first */
        if (memcmp(place + i * lane, place + j * lane, bytes))
            return false;
    }
    return true;
}

/* Finds two lanes of this request that store to one place where the winner matters. That is so if
 * the values differ, or if each depends on the old value. `before` is the granule's last write, by
 * the same warp in the same interval. */
static void check_lockstep(const check *c, uint64_t before) {
    uint32_t lane = THREAD(c->me) % SG_LANES, other = THREAD(before) % SG_LANES;
    if (other < lane && c->mask >> other & 1 && c->at[other] == c->at[lane] &&
        ORDINAL(before) == ORDINAL(c->me) &&
        (before & UPDATE || !same_values(c->w, c->ip, lane, other)))
        report(c, before, true, true);
}

/* Returns true if the previous granule had the same history. Only the history and the op decide
 * about a race, so its result holds here too. Neighbours mostly agree. */
static inline bool as_before(const check *c, const granule *g) {
    uint64_t differ = (g->write ^ c->before.write) | (g->read[0] ^ c->before.read[0]) |
                      (g->read[1] ^ c->before.read[1]);
    return c->looked && !(differ & HISTORY);
}

static void look(check *c, const granule *g) {
    if (conflicts(c, g->write, true))
        report(c, g->write, true, false);
    for (int k = 0; k < 2 && c->writes; k++)
        if (conflicts(c, g->read[k], false))
            report(c, g->read[k], false, false);
    if (!c->writes)
        c->slot = slot_for(c, g);
    c->before = *g;
    c->looked = !c->guesses;
}

static inline void touch(check *c, granule *g) {
    if (!as_before(c, g))
        look(c, g);
    if (!c->writes) {
        if (c->slot != NOWHERE)
            g->read[c->slot] = c->me;
        return;
    }
    if (c->values && g->write && !((g->write ^ c->me) >> WARP_BIT))
        check_lockstep(c, g->write);
    bool update = g->read[0] && !((g->read[0] ^ c->me) >> WARP_BIT);
    *g = (granule){.write = c->me | (update ? UPDATE : 0)};
}

static uint64_t record_of(const check *c) {
    const sg_warp *w = c->w;
    uint32_t number = interval_of(c->s, w);
    const sg_op *ip = w->sync_op ? w->sync_op : c->ip;
    uint64_t ordinal = w->func->ordinal + (uint64_t)(ip - w->func->ops);
    return number ? (uint64_t)number << INTERVAL_BIT | (uint64_t)w->index * SG_LANES << THREAD_BIT |
                        (ordinal < ORDINAL_NONE ? ordinal : ORDINAL_NONE)
                  : 0;
}

/* A range that the lanes may access, and the page found last. */
typedef struct place {
    uint64_t lo, hi, number;
    page *page;
} place;

/* Returns the page of `bytes` bytes at `at`, with granules no larger than that. Returns NULL if
 * they are inaccessible, constant, or have no shadow. */
static page *page_of(const check *c, place *last, uint64_t at, uint32_t bytes) {
    sg_mem_kind kind = SG_MEM_DEVICE;
    bool inside = at >= last->lo && at < last->hi;
    if (!inside && c->space == PTX_SPACE_GLOBAL) {
        inside = sg_mem_span(at, &last->lo, &last->hi, &kind) && kind != SG_MEM_CONSTANT;
        if (!inside)
            last->lo = last->hi = 0;
    }
    if (!inside || last->hi - at < bytes || at & (bytes - 1))
        return NULL;
    if (!last->page || last->number != at >> PAGE_BITS) {
        last->number = at >> PAGE_BITS;
        last->page = c->space == PTX_SPACE_SHARED ? &c->w->block->shadow->pages[last->number]
                                                  : global_page(c->s, last->number);
    }
    page *p = last->page;
    if (p && p->granules && bytes < 1u << p->shift)
        page_split(c->s, p, bytes);
    return p && p->granules ? p : NULL;
}

static void check_lanes(check *c, uint32_t bytes, bool strong) {
    uint64_t base = record_of(c);
    uint64_t known = UINT64_MAX;
    place last = {.hi = c->space == PTX_SPACE_SHARED ? c->w->shared_bytes : 0};
    for (uint32_t m = base ? c->mask : 0; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t at = c->at[lane];
        if (at == known && !c->writes)
            continue; /* another lane of the warp has just read it */
        known = at;
        const page *p = page_of(c, &last, at, bytes);
        if (!p)
            continue;
        c->me = base | (uint64_t)lane << THREAD_BIT | (strong ? STRONG : 0);
        granule *g = &p->granules[(at & (PAGE_BYTES - 1)) >> p->shift];
        for (uint32_t k = 0; k < bytes >> p->shift; k++)
            touch(c, &g[k]);
    }
}

static void request(sg_warp *w, const sg_op *ip, ptx_space space, const uint64_t *at, uint32_t mask,
                    uint32_t bytes, enum sg_access access, unsigned mode) {
    sg_races *s = w->block->run->races;
    s->looks += (uint32_t)__builtin_popcount(mask);
    if (s->most && s->looks > s->most)
        return;
    check c = {.w = w,
               .ip = ip,
               .s = s,
               .space = space,
               .mask = mask,
               .at = at,
               .writes = access != SG_READ,
               .values = mode == SG_RACE_VALUES};
    check_lanes(&c, bytes, access == SG_ATOMIC || mode & SG_RACE_STRONG);
}

void sg_race_global(sg_warp *w, const sg_op *ip, const uint64_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access) {
    uint64_t at[SG_LANES];
    for (uint32_t m = mask; m; m &= m - 1)
        at[__builtin_ctz(m)] = addresses[__builtin_ctz(m)] + (uint64_t)offset;
    request(w, ip, PTX_SPACE_GLOBAL, at, mask, bytes, access, ip->mode);
}

void sg_race_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access) {
    uint64_t at[SG_LANES];
    for (uint32_t m = mask; m; m &= m - 1)
        at[__builtin_ctz(m)] = addresses[__builtin_ctz(m)] + (uint32_t)offset;
    request(w, ip, PTX_SPACE_SHARED, at, mask, bytes, access, ip->mode);
}

void sg_race_lane(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                  uint32_t bytes, enum sg_access access) {
    uint64_t at[SG_LANES];
    at[lane] = address;
    request(w, ip, space, at, 1u << lane, bytes, access, 0);
}
