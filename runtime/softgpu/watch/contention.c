/* contention.c: what has to happen one after the other, whatever the machine: atomic operations on
 * one address of global memory, and the instructions of one block.
 *
 * Each address is followed through the launch, in a table that every worker has for itself; they
 * are put together when it leaves the launch. What ptxas would put together (a whole warp that adds
 * to one integer) is counted as it stands in the PTX. On an H200 an operation takes 1.8 ns behind
 * another one at its address, floats and several blocks alike; lanes of a warp that meet cost as
 * much, while those beside each other in a sector are served together. */
#include <stdlib.h>
#include <string.h>

#include "runtime/softgpu/watch/contention.h"

/* More addresses than these are not followed. */
#define MAX_ADDRESSES (1u << 20)

typedef struct slot {
    uint64_t address; /* 0: free */
    uint64_t count;
} slot;

struct sg_contention {
    slot *slots;
    uint32_t room, used; /* room: a power of two */
};

static slot *place_of(slot *slots, uint32_t room, uint64_t address) {
    uint32_t h = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> 40) & (room - 1);
    while (slots[h].address && slots[h].address != address)
        h = (h + 1) & (room - 1);
    return &slots[h];
}

static bool grow(sg_contention *t) {
    uint32_t room = t->room ? 2 * t->room : 256;
    slot *slots = t->used < MAX_ADDRESSES ? calloc(room, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < t->room; i++)
        if (t->slots[i].address)
            *place_of(slots, room, t->slots[i].address) = t->slots[i];
    free(t->slots);
    t->slots = slots;
    t->room = room;
    return true;
}

static void add(sg_contention *t, uint64_t address, uint64_t n) {
    if (t->used >= t->room / 4 * 3 && !grow(t))
        return;
    slot *s = place_of(t->slots, t->room, address);
    t->used += !s->address;
    s->address = address;
    s->count += n;
}

/* The lanes at `first`'s address. */
static uint32_t meeting(const uint64_t *at, uint32_t mask, int first) {
    uint32_t same = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        same |= (uint32_t)(at[__builtin_ctz(m)] == at[first]) << __builtin_ctz(m);
    return same;
}

uint32_t sg_contention_count(sg_warp *w, const sg_op *ip, const uint64_t *at, uint32_t mask,
                             sg_met met[SG_LANES]) {
    sg_worker *me = w->block->worker;
    sg_counters *c = &w->count[ip->line];
    uint32_t most = 0, n_met = 0;
    if (!me->contention)
        me->contention = calloc(1, sizeof *me->contention);
    c->global_atomic_operations += (uint64_t)__builtin_popcount(mask);
    while (mask) {
        int first = __builtin_ctz(mask);
        uint32_t same = meeting(at, mask, first), n = (uint32_t)__builtin_popcount(same);
        most = n > most ? n : most;
        if (me->contention)
            add(me->contention, at[first], n);
        met[n_met++] = (sg_met){at[first], n};
        mask &= ~same;
    }
    c->global_atomic_passes += most;
    return n_met;
}

void sg_contention_undo(sg_worker *me, sg_met met) {
    if (me->contention)
        add(me->contention, met.address, 0 - (uint64_t)met.n);
}

void sg_contention_block(sg_worker *me, const sg_block *b) {
    uint64_t all = 0, longest = 0;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        uint64_t n = b->warps[k].issued;
        all += n;
        longest = n > longest ? n : longest;
    }
    uint64_t clocks = (all + SG_MODEL_ISSUE - 1) / SG_MODEL_ISSUE;
    clocks = clocks > longest ? clocks : longest;
    me->longest_block = me->longest_block > clocks ? me->longest_block : clocks;
}

void sg_contention_merge(sg_run *run, sg_worker *me) {
    const sg_contention *mine = me->contention;
    if (run->longest_block < me->longest_block)
        run->longest_block = me->longest_block;
    if (!run->contention) {
        run->contention = me->contention;
        me->contention = NULL;
        return;
    }
    for (uint32_t i = 0; mine && i < mine->room; i++)
        if (mine->slots[i].address)
            add(run->contention, mine->slots[i].address, mine->slots[i].count);
}

uint64_t sg_contention_busiest(const sg_contention *t) {
    uint64_t most = 0;
    for (uint32_t i = 0; t && i < t->room; i++)
        most = t->slots[i].count > most ? t->slots[i].count : most;
    return most;
}

void sg_contention_free(sg_contention *t) {
    if (t)
        free(t->slots);
    free(t);
}
