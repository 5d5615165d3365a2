/* cache.c: the sectored cache of cache.h. A set is chosen by a hash of the line's number, as GPUs
 * do, so that a power of two between rows does not meet in one set. */
#include "runtime/softgpu/watch/trace/cache.h"

#include <stdlib.h>
#include <string.h>

#define ALL_BYTES 0xffffffffu

typedef struct line {
    uint64_t tag;           /* line number + 1; 0: free */
    uint32_t used, fetched; /* clocks; fetched 0: never */
    uint32_t valid;         /* sectors, bits 0..3 */
    uint32_t written[4];    /* bytes of each sector */
} line;

struct sg_cache {
    uint32_t n_sets, clock, mark, group;
    uint64_t dirty; /* sectors that hold written bytes */
    line *lines;    /* n_sets x SG_CACHE_WAYS */
};

sg_cache *sg_cache_new(size_t bytes, uint32_t group) {
    sg_cache *c = calloc(1, sizeof *c);
    size_t sets = bytes / (SG_LINE_BYTES * SG_CACHE_WAYS);
    if (!c)
        return NULL;
    c->n_sets = sets > UINT32_MAX ? UINT32_MAX : sets ? (uint32_t)sets : 1;
    c->group = group;
    c->lines = calloc((size_t)c->n_sets * SG_CACHE_WAYS, sizeof *c->lines);
    if (!c->lines) {
        free(c);
        return NULL;
    }
    return c;
}

void sg_cache_free(sg_cache *c) {
    if (c)
        free(c->lines);
    free(c);
}

void sg_cache_empty(sg_cache *c) {
    memset(c->lines, 0, (size_t)c->n_sets * SG_CACHE_WAYS * sizeof *c->lines);
    c->clock = c->mark = 0;
    c->dirty = 0;
}

/* The sectors, and all others of their groups. */
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

/* The sectors whose bytes are all known. */
static uint32_t whole(const line *l) {
    uint32_t sectors = l->valid;
    for (uint32_t s = 0; s < 4; s++)
        sectors |= (uint32_t)(l->written[s] == ALL_BYTES) << s;
    return sectors;
}

/* What the line leaves to the memory below: each group that was written in, where it is not known
 * whole after reading it. */
static void give_way(sg_cache *c, const line *l, sg_cached *result) {
    uint32_t written = 0;
    for (uint32_t s = 0; s < 4; s++)
        written |= (uint32_t)(l->written[s] != 0) << s;
    c->dirty -= count(written);
    written = widened(c, written);
    result->written += count(written);
    result->filled += count(widened(c, written & ~whole(l)));
}

static line *find(sg_cache *c, uint64_t number, sg_cached *result) {
    uint64_t hash = number * 0x9e3779b97f4a7c15ull >> 32;
    line *set = c->lines + (hash * c->n_sets >> 32) * SG_CACHE_WAYS, *oldest = set;
    c->clock++;
    for (uint32_t way = 0; way < SG_CACHE_WAYS; way++) {
        line *l = &set[way];
        if (l->tag == number + 1) {
            l->used = c->clock;
            return l;
        }
        if (!l->tag || (oldest->tag && l->used < oldest->used))
            oldest = oldest->tag ? l : oldest;
    }
    give_way(c, oldest, result);
    *oldest = (line){.tag = number + 1, .used = c->clock};
    return oldest;
}

sg_cached sg_cache_read(sg_cache *c, uint64_t number, uint32_t sectors) {
    sg_cached result = {0};
    line *l = find(c, number, &result);
    result.fetched = widened(c, sectors & ~whole(l));
    result.missed = count(result.fetched);
    result.coming = !result.missed && l->fetched > c->mark;
    if (result.missed)
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
