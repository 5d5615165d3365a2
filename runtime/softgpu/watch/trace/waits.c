/* waits.c: orders blocks that wait for one another (waits.h, README.md). If all warps sleep, none
 * of the writes that they wait for will come. Then they poll as they would without clocks, and the
 * watchdog may end them. */
#include "runtime/softgpu/watch/trace/waits.h"

#include "runtime/softgpu/watch/trace/chain.h"

#define NEVER UINT32_MAX

typedef struct turn {
    uint32_t clock, number;
    sg_block *block; /* NULL: a free slot of that number */
} turn;

typedef struct heap { /* the least is first */
    turn *at;
    size_t n;
} heap;

struct sg_waits {
    const sg_gpu *gpu;
    heap turns, slots;
    uint32_t n_slots, number; /* turns so far */
    uint32_t horizon;         /* the clock at which another block has the next turn */
    uint32_t next_start;      /* the earliest start of the next block */
    uint32_t last_end;
    sg_block **aside; /* by slot: the blocks that do not run, or NULL */
    sg_warp **asleep;
    size_t n_asleep, n_forced;
};

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* ---- heaps ----------------------------------------------------------------------------------- */

static bool before(turn a, turn b) {
    return a.clock != b.clock ? a.clock < b.clock : a.number < b.number;
}

static void push(heap *h, turn t) {
    size_t k = h->n++;
    for (; k && before(t, h->at[(k - 1) / 2]); k = (k - 1) / 2)
        h->at[k] = h->at[(k - 1) / 2];
    h->at[k] = t;
}

static turn pop(heap *h) {
    turn first = h->at[0], last = h->at[--h->n];
    size_t k = 0;
    for (size_t child; (child = 2 * k + 1) < h->n; k = child) {
        child += child + 1 < h->n && before(h->at[child + 1], h->at[child]);
        if (!before(h->at[child], last))
            break;
        h->at[k] = h->at[child];
    }
    h->at[k] = last;
    return first;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

sg_waits *sg_waits_new(const sg_gpu *gpu, uint64_t n_blocks, uint32_t n_warps) {
    sg_waits *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    size_t slots = gpu->resident && gpu->resident < n_blocks ? gpu->resident : n_blocks;
    o->gpu = gpu;
    o->n_slots = (uint32_t)slots;
    o->slots.at = calloc(slots, sizeof *o->slots.at);
    /* one for the block, and one for each warp woken while the block is set aside */
    o->turns.at = calloc(slots * (n_warps + 2), sizeof *o->turns.at);
    o->aside = calloc(slots, sizeof(sg_block *));
    o->asleep = calloc(slots * n_warps, sizeof(sg_warp *));
    if (!o->slots.at || !o->turns.at || !o->aside || !o->asleep) {
        sg_waits_free(o);
        return NULL;
    }
    for (uint32_t k = 0; k < o->n_slots; k++)
        push(&o->slots, (turn){.number = k});
    return o;
}

void sg_waits_free(sg_waits *o) {
    if (!o)
        return;
    WB_FREE(o->slots.at, o->turns.at, o->aside, o->asleep, o);
}

uint32_t sg_waits_slots(const sg_waits *o) {
    return o->n_slots;
}

uint32_t sg_waits_last_end(const sg_waits *o) {
    return o->last_end;
}

sg_block *sg_waits_take(sg_waits *o) {
    for (uint32_t k = 0; k < o->n_slots; k++)
        if (o->aside[k]) {
            sg_block *b = o->aside[k];
            o->aside[k] = NULL;
            return b;
        }
    return NULL;
}

static void queue(sg_waits *o, sg_block *b, uint32_t clock) {
    b->turn_clock = clock;
    b->queued = true;
    push(&o->turns, (turn){clock, o->number++, b});
    o->horizon = least(o->horizon, clock);
}

/* Returns the first turn. A block that was woken twice has two turns, and only the earlier one
 * counts. */
static const turn *first_turn(sg_waits *o) {
    while (o->turns.n && (!o->turns.at[0].block->queued ||
                          o->turns.at[0].clock != o->turns.at[0].block->turn_clock))
        pop(&o->turns);
    return o->turns.n ? &o->turns.at[0] : NULL;
}

static uint32_t next_start(const sg_waits *o, bool left) {
    return left && o->slots.n ? sg_later(o->slots.at[0].clock, o->next_start) : NEVER;
}

bool sg_waits_starts(sg_waits *o, uint64_t left, sg_block **next) {
    const turn *first = first_turn(o);
    uint32_t start = next_start(o, left > 0);
    *next = NULL;
    if (start != NEVER && (!first || start <= first->clock)) {
        o->horizon = first ? first->clock : NEVER;
        return true;
    }
    if (first) {
        *next = pop(&o->turns).block;
    } else if (o->n_asleep) {
        *next = o->asleep[o->n_forced++ % o->n_asleep]->block;
        (*next)->forced = true;
    } else {
        return false;
    }
    (*next)->queued = false;
    o->aside[(*next)->slot] = NULL;
    first = first_turn(o);
    o->horizon = least(first ? first->clock : NEVER, start);
    return false;
}

void sg_waits_begin(sg_waits *o, sg_block *b, uint64_t left) {
    uint32_t begins = next_start(o, true);
    b->slot = pop(&o->slots).number;
    b->queued = b->forced = false;
    o->next_start = begins + (uint32_t)o->gpu->block_apart_clocks;
    o->horizon = least(o->horizon, next_start(o, left > 0));
    b->begins = begins;
    for (uint32_t k = 0; k < b->n_warps; k++)
        b->warps[k].trace->clock = begins;
}

void sg_waits_end(sg_waits *o, const sg_block *b, uint32_t clock) {
    o->last_end = sg_later(o->last_end, clock);
    push(&o->slots, (turn){.clock = clock + (uint32_t)o->gpu->block_clocks, .number = b->slot});
}

/* ---- warps that poll in vain ----------------------------------------------------------------- */

static void sleep(sg_waits *o, sg_warp *w) {
    if (!w->trace->asleep)
        o->asleep[o->n_asleep++] = w;
    w->trace->asleep = true;
}

static void wake(sg_waits *o, sg_warp *w) {
    w->trace->asleep = false;
    for (size_t k = 0; k < o->n_asleep; k++)
        if (o->asleep[k] == w) {
            o->asleep[k] = o->asleep[--o->n_asleep];
            return;
        }
}

void sg_waits_aside(sg_waits *o, sg_block *b) {
    uint32_t now = 0;
    bool asleep = false;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        asleep |= b->warps[k].trace->asleep;
        now = sg_later(now, sg_chain_asks(b->warps[k].trace));
    }
    o->aside[b->slot] = b;
    b->forced = false;
    if (b->turn_clock != NEVER)
        queue(o, b, b->turn_clock);
    else if (!asleep) /* it waits for something of its own */
        queue(o, b, now + 1);
}

/* Returns the first poll at `clock` or later that finds what was written at w->news. */
static uint32_t finds(const sg_waits *o, const sg_trace_warp *w, uint32_t clock) {
    uint32_t there = w->news == NEVER ? 0 : w->news + o->gpu->seen_clocks;
    uint32_t turns = there > clock ? (there - clock + w->period - 1) / w->period : 0;
    return clock + turns * w->period;
}

void sg_waits_in_vain(sg_warp *w, bool in_vain) {
    sg_trace_warp *mine = w->trace;
    mine->in_vain = in_vain;
    mine->news = NEVER;
    if (!in_vain) {
        mine->low = UINT64_MAX;
        mine->high = 0;
    }
}

void sg_waits_news(sg_warp *w, const uint64_t *addresses, int64_t offset, uint32_t mask) {
    sg_waits *o = w->block->run->turns;
    uint32_t now = sg_later(w->trace->asked, sg_chain_clock(w->trace));
    for (size_t k = o->n_asleep; k-- > 0;) {
        sg_warp *other = o->asleep[k];
        sg_trace_warp *its = other->trace;
        bool here = false;
        for (uint32_t m = mask; m && !here; m &= m - 1) {
            uint64_t at = addresses[__builtin_ctz(m)] + (uint64_t)offset;
            here = at >= its->low && at < its->high;
        }
        if (!here)
            continue;
        its->news = now;
        its->asleep = false;
        o->asleep[k] = o->asleep[--o->n_asleep];
        uint32_t clock = finds(o, its, its->wants);
        if (o->aside[other->block->slot] == other->block &&
            (!other->block->queued || clock < other->block->turn_clock))
            queue(o, other->block, clock);
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool others_ready(const sg_warp *w) {
    for (uint32_t k = 0; k < w->n_paths; k++)
        if (w->paths[k].state == SG_PATH_READY)
            return true;
    return false;
}

/* Gives up on threads that retry atomicCAS() with the value just read. How often others come
 * between differs on a GPU. */
static void check_expected(sg_warp *w, const sg_op *ip, const char *r) {
    sg_trace_warp *mine = w->trace;
    bool same = true, known = mine->tried == ip;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t value = ip->mode & SG_TURN_CAS_WIDE ? ((const uint64_t *)(r + ip->b))[i]
                                                     : ((const uint32_t *)(r + ip->b))[i];
        same &= !known || mine->expected == value;
        mine->expected = value;
        known = true;
    }
    mine->tried = ip;
    if (!same)
        sg_trace_untimed(w->block->run->trace, SG_TRIES);
}

/* Returns the queue of the first lane's atomic operation (contention.c), or 0 for none. */
static uint64_t queue_of(const sg_warp *w, const sg_op *ip, const char *r) {
    uint64_t at = ((const uint64_t *)(r + ip->a))[__builtin_ctz(w->mask)] + (uint64_t)ip->offset;
    if (!(ip->mode & SG_TURN_ATOMIC) || at & SG_WINDOW_MASK)
        return 0;
    return (at >> 10 << 1 | (at >> 8 & 1)) + 1;
}

/* Returns how long an operation waits behind the warps that poll the same queue. */
static uint32_t behind_others(const sg_waits *o, uint64_t queue) {
    double busy = 0, latency = o->gpu->latency[SG_LATENCY_ATOMIC];
    for (size_t k = 0; queue && k < o->n_asleep; k++)
        if (o->asleep[k]->trace->queue == queue)
            busy += o->gpu->atomic_pass_clocks / o->asleep[k]->trace->period;
    return busy > 1 ? (uint32_t)((busy - 1) * latency) : 0;
}

static void note_addresses(sg_warp *w, const sg_op *ip, const char *r) {
    const uint64_t *addresses = (const uint64_t *)(r + ip->a);
    sg_trace_warp *mine = w->trace;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint64_t at = addresses[__builtin_ctz(m)] + (uint64_t)ip->offset;
        if (at & SG_WINDOW_MASK)
            continue;
        mine->low = at < mine->low ? at : mine->low;
        mine->high = at + ip->width > mine->high ? at + ip->width : mine->high;
    }
}

bool sg_waits_may_go_on(sg_warp *w, const sg_op *ip, const char *r) {
    sg_block *b = w->block;
    sg_waits *o = b->run->turns;
    sg_trace_warp *mine = w->trace;
    uint32_t clock = sg_chain_asks(mine);
    if (mine->in_vain && !b->forced) {
        if (mine->news == NEVER && mine->moves == b->moves && !others_ready(w)) {
            mine->wants = clock;
            mine->period = mine->asked_at == ip && clock > mine->asked
                               ? clock - mine->asked
                               : o->gpu->latency[SG_LATENCY_L2];
            mine->queue = queue_of(w, ip, r);
            sleep(o, w);
            return false;
        }
        if (mine->news != NEVER)
            sg_chain_idle(mine, finds(o, mine, clock) - clock, SG_WAIT_BLOCK);
        clock = sg_chain_asks(mine);
    } else if (mine->queued_at != clock) {
        sg_chain_idle(mine, behind_others(o, queue_of(w, ip, r)), SG_WAIT_ATOMIC);
        mine->queued_at = clock = sg_chain_asks(mine);
    }
    if (clock > o->horizon && !b->forced) {
        b->turn_clock = least(b->turn_clock, clock);
        return false;
    }
    if (mine->asleep)
        wake(o, w);
    if (ip->mode & (SG_TURN_CAS | SG_TURN_CAS_WIDE))
        check_expected(w, ip, r);
    note_addresses(w, ip, r);
    mine->in_vain = false;
    mine->asked = clock;
    mine->asked_at = ip;
    mine->moves = b->moves;
    return true;
}
