/* cache.c: the sectored cache of cache.h. As on GPUs, a hash of the line's number selects the set,
 * so rows at a distance of a power of two do not share one set. */
#include "runtime/softgpu/watch/trace/cache.h"

#include <stdlib.h>
#include <string.h>

#define ALL_BYTES 0xffffffffu

typedef struct line {
    uint32_t fetched;    /* clock; 0: never */
    uint32_t valid;      /* sectors, bits 0..3 */
    uint32_t written[4]; /* bytes of each sector */
} line;

typedef struct set {              /* kept together for a look-up */
    uint64_t tag[SG_CACHE_WAYS];  /* line number + 1; 0: free */
    uint32_t recent;              /* the way of the last look-up, tried first */
    uint32_t used[SG_CACHE_WAYS]; /* clocks */
    line lines[SG_CACHE_WAYS];
} set;

struct sg_cache {
    uint32_t n_sets, clock, mark, group;
    uint64_t dirty; /* sectors with written bytes */
    set *sets;      /* n_sets */
};

sg_cache *sg_cache_new(size_t bytes, uint32_t group) {
    sg_cache *c = calloc(1, sizeof *c);
    size_t sets = bytes / (SG_LINE_BYTES * SG_CACHE_WAYS);
    if (!c)
        return NULL;
    c->n_sets = sets > UINT32_MAX ? UINT32_MAX : sets ? (uint32_t)sets : 1;
    c->group = group;
    c->sets = calloc(c->n_sets, sizeof *c->sets);
    if (!c->sets) {
        free(c);
        return NULL;
    }
    return c;
}

void sg_cache_free(sg_cache *c) {
    if (c)
        free(c->sets);
    free(c);
}

void sg_cache_empty(sg_cache *c) {
    memset(c->sets, 0, c->n_sets * sizeof *c->sets);
    c->clock = c->mark = 0;
    c->dirty = 0;
}

/* Returns the sectors and all others of their groups. */
static uint32_t widened(const sg_cache *c, uint32_t sectors) {
    if (c->group == 1)
        return sectors;
    if (c->group == 4)
        return sectors ? 15 : 0;
    return (sectors & 3 ? 3u : 0) | (sectors & 12 ? 12u : 0);
}

static uint32_t count(uint32_t sectors) {
    return (sectors & 1) + (sectors >> 1 & 1) + (sectors >> 2 & 1) + (sectors >> 3 & 1);
}

/* Returns the sectors whose bytes are all known. */
static uint32_t whole(const line *l) {
    uint32_t sectors = l->valid;
    for (uint32_t s = 0; s < 4; s++)
        sectors |= (uint32_t)(l->written[s] == ALL_BYTES) << s;
    return sectors;
}

/* Evicts a line: writes back each group with written bytes, and first reads the incomplete ones. */
static void give_way(sg_cache *c, const line *l, sg_cached *result) {
    uint32_t written = 0;
    for (uint32_t s = 0; s < 4; s++)
        written |= (uint32_t)(l->written[s] != 0) << s;
    c->dirty -= count(written);
    written = widened(c, written);
    result->written += count(written);
    result->filled += count(widened(c, written & ~whole(l)));
}

/* Returns a free way, or the least recently used one. */
static uint32_t oldest(const set *at) {
    uint32_t way = 0;
    for (uint32_t k = 0; k < SG_CACHE_WAYS; k++) {
        if (!at->tag[k])
            return k;
        way = at->used[k] < at->used[way] ? k : way;
    }
    return way;
}

static uint32_t way_of(const set *at, uint64_t tag) {
    uint32_t way = 0;
    if (at->tag[at->recent] == tag)
        return at->recent;
    while (way < SG_CACHE_WAYS && at->tag[way] != tag)
        way++;
    return way;
}

static line *find(sg_cache *c, uint64_t number, sg_cached *result) {
    uint64_t hash = number * 0x9e3779b97f4a7c15ull >> 32;
    set *at = &c->sets[hash * c->n_sets >> 32];
    uint32_t way = way_of(at, number + 1);
    if (way == SG_CACHE_WAYS) {
        way = oldest(at);
        give_way(c, &at->lines[way], result);
        at->tag[way] = number + 1;
        at->lines[way] = (line){0};
    }
    at->used[way] = ++c->clock;
    at->recent = way;
    return &at->lines[way];
}

sg_cached sg_cache_read(sg_cache *c, uint64_t number, uint32_t sectors) {
    sg_cached result = {0};
    line *l = find(c, number, &result);
    uint32_t lacks = sectors & ~l->valid;
    if (!lacks || !(lacks &= ~whole(l))) {
        result.coming = l->fetched > c->mark;
        return result;
    }
    result.fetched = widened(c, lacks);
    result.missed = count(result.fetched);
    l->fetched = c->clock;
    l->valid |= result.fetched;
    return result;
}

void sg_cache_mark(sg_cache *c) {
    c->mark = c->clock;
}

sg_cached sg_cache_write(sg_cache *c, uint64_t number, const uint32_t bytes[4]) {
    sg_cached result = {0};
    line *l = find(c, number, &result);
    for (uint32_t s = 0; s < 4; s++) {
        c->dirty += !l->written[s] && bytes[s];
        l->written[s] |= bytes[s];
    }
    return result;
}

uint64_t sg_cache_dirty(const sg_cache *c) {
    return c->dirty;
}
