/* async.c: mbarrier objects and bulk copies.
 *
 * Source: PTX ISA 9.0, 9.7.13.15 (mbarrier) and 9.7.9.25 (cp.async.bulk). The object's layout is
 * opaque to programs. Here it is one 64-bit word, as the macros below define. */
#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/async.h"
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/trace/bulk.h"
#include "runtime/softgpu/watch/check/init.h"
#include "runtime/softgpu/watch/check/race.h"

#define COUNT_MAX 0xfffffu /* the ISA's limit for arrivals and bytes */
#define PENDING(word) ((uint32_t)(word)&COUNT_MAX)
#define EXPECTED(word) ((uint32_t)((word) >> 20) & COUNT_MAX)
#define TX(word) ((int64_t)((word) << 2) >> 42) /* bits 40..61, signed */
#define PHASE(word) ((uint32_t)((word) >> 63))

static uint64_t pack(uint32_t phase, int64_t tx, uint32_t expected, uint32_t pending) {
    return (uint64_t)phase << 63 | ((uint64_t)tx & 0x3fffff) << 40 | (uint64_t)expected << 20 |
           pending;
}

static uint32_t lane_u32(const char *r, int32_t place, int lane, uint32_t none) {
    return place < 0 ? none : ((const uint32_t *)(r + place))[lane];
}

/* Returns the barrier's word in shared memory. Raises a fault if it is elsewhere. */
static uint64_t *word_at(sg_warp *w, const sg_op *ip, const char *r, ptx_space space, int32_t place,
                         int64_t offset, int lane, enum sg_access access) {
    uint64_t address = space == PTX_SPACE_SHARED
                           ? (uint32_t)(((const uint32_t *)(r + place))[lane] + (uint32_t)offset)
                           : ((const uint64_t *)(r + place))[lane] + (uint64_t)offset;
    if (space != PTX_SPACE_SHARED && (address & SG_WINDOW_MASK) != SG_SHARED_WINDOW)
        sg_fault_raise(w, ip, lane, SG_FAULT_BARRIER_OUTSIDE,
                       _("an mbarrier lies in shared memory; 0x%llx does not"),
                       (unsigned long long)address);
    if (w->block->written)
        sg_init_lane(w, ip, lane, (uint32_t)address, 8, access);
    return sg_lane_pointer(w, ip, space, lane, address, 8, SG_ATOMIC);
}

/* Changes the counts of the current phase. If none are left, starts the next phase. */
static void advance(sg_warp *w, const sg_op *ip, int lane, uint64_t *word, uint32_t arrivals,
                    uint32_t dropped, int64_t tx) {
    uint32_t pending = PENDING(*word), expected = EXPECTED(*word), phase = PHASE(*word);
    if (arrivals > pending || dropped > expected)
        sg_fault_raise(
            w, ip, lane, SG_FAULT_BARRIER_ARRIVALS,
            _("%u more arrivals at a barrier whose phase waits for %u: was it initialised "
              "for fewer threads than use it?"),
            arrivals, pending);
    pending -= arrivals;
    expected -= dropped;
    tx += TX(*word);
    if (tx > (int64_t)COUNT_MAX || tx < -(int64_t)COUNT_MAX)
        sg_fault_raise(w, ip, lane, SG_FAULT_BARRIER_BYTES,
                       _("a barrier's count of bytes leaves the range of +-%u"), COUNT_MAX);
    if (pending == 0 && tx == 0) {
        phase ^= 1;
        pending = expected;
    }
    *word = pack(phase, tx, expected, pending);
}

static void put_predicate(char *r, int32_t place, int lane, bool value) {
    uint32_t *mask = (uint32_t *)(r + place);
    *mask = (*mask & ~(1u << lane)) | (uint32_t)value << lane;
}

static void run_lane(sg_warp *w, const sg_op *ip, char *r, const sg_mbarrier *b, int lane) {
    uint32_t count = lane_u32(r, b->count, lane, 1), tx = lane_u32(r, b->tx, lane, 0);
    if (b->kind == SG_MBARRIER_PENDING) {
        ((uint32_t *)(r + b->result))[lane] = PENDING(((const uint64_t *)(r + b->state))[lane]);
        return;
    }
    uint64_t *word = word_at(w, ip, r, b->space, b->address, b->offset, lane,
                             b->kind == SG_MBARRIER_INIT ? SG_WRITE : SG_ATOMIC);
    uint64_t before = *word;
    if (w->block->shadow)
        sg_race_synchronise(
            w, SG_RACE_BLOCK | (b->kind == SG_MBARRIER_TEST ? SG_RACE_ACQUIRE : SG_RACE_RELEASE));
    if (count > COUNT_MAX || tx > COUNT_MAX || (b->kind == SG_MBARRIER_INIT && count == 0))
        sg_fault_raise(w, ip, lane, SG_FAULT_BARRIER_COUNT, _("a barrier counts from 1 to %u"),
                       COUNT_MAX);
    w->moved |= b->kind != SG_MBARRIER_TEST;
    if (w->block->traced && b->kind != SG_MBARRIER_TEST)
        sg_bulk_arrive(w, word);
    switch (b->kind) {
    case SG_MBARRIER_INIT:
        *word = pack(0, 0, count, count);
        break;
    case SG_MBARRIER_ARRIVE:
    case SG_MBARRIER_DROP:
        advance(w, ip, lane, word, count, b->kind == SG_MBARRIER_DROP ? count : 0, tx);
        if (b->result >= 0)
            ((uint64_t *)(r + b->result))[lane] = before;
        break;
    case SG_MBARRIER_EXPECT:
        advance(w, ip, lane, word, 0, 0, tx);
        break;
    case SG_MBARRIER_COMPLETE:
        advance(w, ip, lane, word, 0, 0, -(int64_t)tx);
        break;
    default: { /* the phase is over if it is not the current one */
        uint32_t asked = b->parity ? ((const uint32_t *)(r + b->state))[lane] & 1
                                   : PHASE(((const uint64_t *)(r + b->state))[lane]);
        put_predicate(r, b->result, lane, PHASE(before) != asked);
        if (w->block->traced && lane == __builtin_ctz(w->mask))
            sg_bulk_asked(w, ip, word, PHASE(before) != asked);
    }
    }
}

void sg_mbarrier_run(sg_warp *w, const sg_op *ip, char *r) {
    for (uint32_t m = w->mask; m; m &= m - 1)
        run_lane(w, ip, r, ip->aux, __builtin_ctz(m));
}

/* Only threads of this block end a phase. So a wait gives up, as one with a time limit does, if
 * none of them has done anything since the last test. */
bool sg_mbarrier_wait(sg_warp *w, const sg_op *ip, char *r) {
    const sg_mbarrier *b = ip->aux;
    sg_mbarrier_run(w, ip, r);
    if (!(w->mask & ~*(const uint32_t *)(r + b->result)))
        return true;
    w->spinning = true;
    w->budget = 1;
    if (!b->suspends || w->asked == w->block->moves)
        return true;
    w->asked = w->block->moves;
    return false;
}

/* ---- bulk copies ---------------------------------------------------------------------------- */

static void copy_lane(sg_warp *w, const sg_op *ip, const char *r, const sg_bulk *c, int lane) {
    uint32_t shared = ((const uint32_t *)(r + c->shared))[lane] + (uint32_t)c->shared_offset;
    uint64_t global = ((const uint64_t *)(r + c->global))[lane] + (uint64_t)c->global_offset;
    uint32_t bytes = ((const uint32_t *)(r + c->bytes))[lane];
    enum sg_access here = c->load ? SG_WRITE : SG_READ, there = c->load ? SG_READ : SG_WRITE;
    if ((shared | global | bytes) & 15)
        sg_fault_raise(w, ip, lane, SG_FAULT_MISALIGNED_BULK,
                       _("a bulk copy takes addresses and a size that are multiples of 16"));
    /* Checks each 16 bytes. Programs round a load's size up to 16, so only the first byte of each
     * must be valid. Up to 15 more are in the guard bytes behind every allocation. */
    for (uint32_t at = 0; at < bytes; at += 16) {
        if (w->block->shadow) {
            sg_race_lane(w, ip, PTX_SPACE_SHARED, lane, (uint32_t)(shared + at), 16, here);
            sg_race_lane(w, ip, PTX_SPACE_GLOBAL, lane, global + at, 16, there);
        }
        if (w->block->written)
            sg_init_lane(w, ip, lane, (uint32_t)(shared + at), 16, here);
        void *s = sg_lane_pointer(w, ip, PTX_SPACE_SHARED, lane, (uint32_t)(shared + at), 16, here);
        void *g =
            sg_lane_pointer(w, ip, PTX_SPACE_GLOBAL, lane, global + at, c->load ? 1 : 16, there);
        memcpy(c->load ? s : g, c->load ? g : s, 16);
    }
    if (ip->flags & SG_F_COUNT)
        sg_count_request(&w->count[ip->line], there, (global + bytes + 31) / 32 - global / 32,
                         bytes, bytes);
    if (w->block->shadow && c->barrier >= 0)
        sg_race_synchronise(w, SG_RACE_RELEASE | SG_RACE_BLOCK);
    uint64_t *word = NULL;
    if (c->barrier >= 0)
        word = word_at(w, ip, r, PTX_SPACE_SHARED, c->barrier, c->barrier_offset, lane, SG_ATOMIC);
    if (w->block->run->trace)
        sg_bulk_copy(w, ip, there, global, bytes, word);
    if (word)
        advance(w, ip, lane, word, 0, 0, -(int64_t)bytes);
}

void sg_bulk_run(sg_warp *w, const sg_op *ip, char *r) {
    w->moved = true;
    for (uint32_t m = w->mask; m; m &= m - 1)
        copy_lane(w, ip, r, ip->aux, __builtin_ctz(m));
}
