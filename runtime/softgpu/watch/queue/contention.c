/* contention.c: work that any GPU must serialise: queues of global atomic operations, and the
 * instructions of one block.
 *
 * L2 takes one sector of a request at a time. It needs as many passes as lanes share one of its
 * words, for all words at once. Each kilobyte has two such queues, which take its quarters in turn.
 * On an H200 (tests/gpu/results/micro, "red ..."), a warp that adds to 8 words of a sector takes
 * 2.3 ns. To 32 sectors of a kilobyte it takes 11 ns, and floats at one address 1.8 ns each. Each
 * worker follows addresses and queues of the launch in its own tables, and merges them when it
 * leaves. */
#include "runtime/softgpu/watch/queue/contention.h"

/* Further addresses are ignored. */
#define MAX_ADDRESSES (1u << 20)

typedef struct slot {
    uint64_t key; /* 0: free */
    uint64_t count;
} slot;

typedef struct table {
    slot *slots;
    uint32_t room, used; /* room: a power of two */
} table;

struct sg_contention {
    table addresses, queues; /* count operations; count passes */
    uint64_t passes, answered, words;
};

static slot *place_of(slot *slots, uint32_t room, uint64_t key) {
    uint32_t h = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) & (room - 1);
    while (slots[h].key && slots[h].key != key)
        h = (h + 1) & (room - 1);
    return &slots[h];
}

static bool grow(table *t) {
    uint32_t room = t->room ? 2 * t->room : 256;
    slot *slots = t->used < MAX_ADDRESSES ? calloc(room, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < t->room; i++)
        if (t->slots[i].key)
            *place_of(slots, room, t->slots[i].key) = t->slots[i];
    free(t->slots);
    t->slots = slots;
    t->room = room;
    return true;
}

static void add(table *t, uint64_t key, uint64_t n) {
    if (t->used >= t->room / 4 * 3 && !grow(t))
        return;
    slot *s = place_of(t->slots, t->room, key);
    t->used += !s->key;
    s->key = key;
    s->count += n;
}

static void add_all(table *to, const table *from) {
    for (uint32_t i = 0; i < from->room; i++)
        if (from->slots[i].key)
            add(to, from->slots[i].key, from->slots[i].count);
}

static uint64_t most_of(const table *t) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < t->room; i++)
        most = t->slots[i].count > most ? t->slots[i].count : most;
    return most;
}

static uint64_t queue_of(uint64_t address) {
    return 1 + (address >> 10 << 1 | (address >> 8 & 1));
}

static void count_met(sg_contention *t, sg_met met, uint64_t sign) {
    add(&t->addresses, met.address, sign * met.n);
    if (met.passes)
        add(&t->queues, queue_of(met.address), sign * met.passes);
    t->passes += sign * met.passes;
    t->answered += met.answers ? sign * met.passes : 0;
    t->words += met.answers ? sign * met.n : 0;
}

/* Hash table of one instruction's keys in `met`, with twice as many places as lanes. */
#define PLACES (2 * SG_LANES)
#define NONE UINT8_MAX

static uint8_t *find_met(uint8_t *places, const sg_met *met, uint64_t key, uint32_t shift) {
    uint32_t h = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 58);
    while (places[h] != NONE && met[places[h]].address >> shift != key)
        h = (h + 1) % PLACES;
    return &places[h];
}

/* Sets each sector's passes: the most lanes that share one of its words. */
static void find_passes(sg_met *met, uint32_t n, bool together) {
    uint8_t places[PLACES];
    memset(places, NONE, sizeof places);
    for (uint32_t k = 0; k < n; k++) {
        uint8_t *most = find_met(places, met, met[k].address >> 5, 5);
        if (*most == NONE || met[k].n > met[*most].n)
            *most = (uint8_t)k;
    }
    for (uint32_t h = 0; h < PLACES; h++)
        if (places[h] != NONE)
            met[places[h]].passes = together ? 1 : met[places[h]].n;
}

/* Finds each address of the lanes of mask, with its number of lanes. Returns how many there are. */
static uint32_t meet(const uint64_t *at, uint32_t mask, sg_met *met) {
    uint8_t places[PLACES];
    uint32_t n = 0;
    memset(places, NONE, sizeof places);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t address = at[__builtin_ctz(m)];
        uint8_t *its = find_met(places, met, address, 0);
        if (*its == NONE) {
            *its = (uint8_t)n;
            met[n++] = (sg_met){.address = address};
        }
        met[*its].n++;
    }
    return n;
}

uint32_t sg_contention_count(sg_warp *w, const sg_op *ip, const uint64_t *at, uint32_t mask,
                             bool together, bool answers, sg_met met[SG_LANES]) {
    sg_worker *me = w->block->worker;
    sg_counters *c = &w->count[ip->line];
    uint32_t most = 0, n_met = meet(at, mask, met);
    if (!me->contention)
        me->contention = calloc(1, sizeof *me->contention);
    c->global_atomic_operations += (uint64_t)__builtin_popcount(mask);
    find_passes(met, n_met, together);
    for (uint32_t k = 0; k < n_met; k++) {
        met[k].answers = answers;
        most = met[k].n > most ? met[k].n : most;
        if (me->contention)
            count_met(me->contention, met[k], 1);
    }
    c->global_atomic_passes += most;
    return n_met;
}

void sg_contention_undo(sg_worker *me, sg_met met) {
    if (me->contention)
        count_met(me->contention, met, ~0ull);
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
    if (!mine)
        return;
    add_all(&run->contention->addresses, &mine->addresses);
    add_all(&run->contention->queues, &mine->queues);
    run->contention->passes += mine->passes;
    run->contention->answered += mine->answered;
    run->contention->words += mine->words;
}

sg_queued sg_contention_queued(const sg_contention *t) {
    if (!t)
        return (sg_queued){0};
    return (sg_queued){most_of(&t->addresses), most_of(&t->queues), t->passes, t->answered,
                       t->words};
}

void sg_contention_free(sg_contention *t) {
    if (t)
        WB_FREE(t->addresses.slots, t->queues.slots);
    free(t);
}
