/* counters.c: how many sectors and wavefronts a request costs. A sector is 32 aligned bytes of
 * global memory. Shared memory has 32 banks of 4 bytes; a pass (wavefront) can serve one word of
 * each, so a request costs as many as the bank with the most distinct words. 8-byte accesses go a
 * half-warp at a time, 16-byte accesses a quarter: NVIDIA, "CUDA C++ Programming Guide", shared
 * memory; loads and stores checked against ncu on an H200, atomic operations against its time. */
#include "runtime/softgpu/watch/counters.h"

#include <stdlib.h>

#include "runtime/softgpu/watch/init.h"
#include "runtime/softgpu/watch/race.h"
#include "runtime/softgpu/watch/trace.h"

/* Distinct values of sector[0..n). Neighbouring lanes mostly lie in order, so duplicates are next
 * to each other; a small hash table serves the rest. */
static uint32_t distinct(const uint64_t *sector, uint32_t n) {
    uint32_t runs = n > 0;
    bool ordered = true;
    for (uint32_t i = 1; i < n; i++) {
        runs += sector[i] != sector[i - 1];
        ordered &= sector[i] >= sector[i - 1];
    }
    if (ordered)
        return runs;
    uint64_t slots[128];
    bool used[128] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)(sector[i] * 0x9e3779b97f4a7c15ull >> 57);
        while (used[h] && slots[h] != sector[i])
            h = (h + 1) & 127;
        count += !used[h];
        used[h] = true;
        slots[h] = sector[i];
    }
    return count;
}

void sg_count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    sg_counters *c = &w->count[ip->line];
    uint64_t sector[64];
    uint32_t n = 0, lanes = (uint32_t)__builtin_popcount(mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addresses[__builtin_ctz(m)] + (uint64_t)offset;
        sector[n++] = at >> 5;
        if ((at + bytes - 1) >> 5 != at >> 5)
            sector[n++] = (at + bytes - 1) >> 5;
    }
    uint32_t sectors = distinct(sector, n);
    if (w->block->run->trace)
        sg_trace_global(w, ip, access, addresses, offset, mask, bytes, false);
    if (access == SG_READ && ip->flags & SG_F_CONSTANT)
        return; /* that has a cache of its own */
    if (access == SG_READ) {
        c->global_load_requests++;
        c->global_load_sectors += sectors;
        c->global_load_bytes += (uint64_t)lanes * bytes;
    } else if (access == SG_WRITE) {
        c->global_store_requests++;
        c->global_store_sectors += sectors;
        c->global_store_bytes += (uint64_t)lanes * bytes;
    } else {
        c->global_atomic_requests++;
        c->global_atomic_sectors += sectors;
    }
}

/* A request of some lanes to shared memory: lane i's words are word[i] up to word[i] + per_lane
 * - 1. Lanes that do not take part have the word of one that does. */
typedef struct request {
    int32_t word[SG_LANES];
    uint32_t mask, per_lane;
} request;

static void request_of(request *q, const uint32_t *addresses, int64_t offset, uint32_t mask,
                       uint32_t bytes) {
    uint32_t first = addresses[__builtin_ctz(mask)], at = (uint32_t)offset;
    q->mask = mask;
    q->per_lane = bytes < 4 ? 1 : bytes / 4;
    if (mask == SG_ALL)
        for (uint32_t i = 0; i < SG_LANES; i++)
            q->word[i] = (int32_t)((addresses[i] + at) / 4);
    else
        for (uint32_t i = 0; i < SG_LANES; i++)
            q->word[i] = (int32_t)(((mask >> i & 1 ? addresses[i] : first) + at) / 4);
}

/* Do all words lie in one row of the 32 banks? The commonest requests do. */
static bool in_a_row(const request *q) {
    int32_t off = 0;
    for (uint32_t i = 0; i < SG_LANES; i++)
        off |= q->word[i] ^ q->word[0];
    return !(off & ~31);
}

/* Words that are all among 32 neighbours lie in different banks, too. */
static bool close_together(const request *q) {
    int32_t least = q->word[0], most = q->word[0];
    for (uint32_t i = 0; i < SG_LANES; i++) {
        least = q->word[i] < least ? q->word[i] : least;
        most = q->word[i] > most ? q->word[i] : most;
    }
    return most - least + (int32_t)q->per_lane <= SG_LANES;
}

/* Is each lane's word the same step beyond the one before? As many lanes share a bank as the step's
 * power of two. */
static bool in_steps(const request *q, uint32_t *passes) {
    int32_t step = q->word[1] - q->word[0], off = 0;
    if (q->mask != SG_ALL || q->per_lane != 1 || !step || abs(step) > INT32_MAX / SG_LANES)
        return false;
    for (int32_t i = 0; i < SG_LANES; i++)
        off |= q->word[i] - q->word[0] - i * step;
    if (!off)
        *passes = 1u << __builtin_ctz((uint32_t)step | SG_LANES);
    return !off;
}

/* The most distinct words that any bank has. Atomic operations on one word are served one after the
 * other, as if its lanes' words were distinct. */
static uint32_t worst_bank(const request *q, bool atomic) {
    uint32_t words[32][SG_LANES], n[32] = {0}, most = 0;
    for (uint32_t m = q->mask; m; m &= m - 1) {
        uint32_t at = (uint32_t)q->word[__builtin_ctz(m)];
        for (uint32_t word = at; word < at + q->per_lane; word++) {
            uint32_t bank = word & 31, i = 0;
            while (i < n[bank] && (atomic || words[bank][i] != word))
                i++;
            if (i < n[bank])
                continue;
            words[bank][n[bank]++] = word;
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most;
}

/* Of lanes that are served together. */
static uint32_t passes_at_once(const uint32_t *addresses, int64_t offset, uint32_t mask,
                               uint32_t bytes, bool atomic) {
    uint32_t passes = 1;
    request q;
    request_of(&q, addresses, offset, mask, bytes);
    if (atomic || (!in_a_row(&q) && !in_steps(&q, &passes) && !close_together(&q)))
        passes = worst_bank(&q, atomic);
    return passes;
}

uint32_t sg_wavefronts(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                       bool atomic) {
    uint32_t wavefronts = 0, group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    for (uint32_t first = 0; first < 32; first += group) {
        uint32_t part = mask & (group == 32 ? SG_ALL : ((1u << group) - 1) << first);
        wavefronts += part ? passes_at_once(addresses, offset, part, bytes, atomic) : 0;
    }
    return wavefronts;
}

/* Does each lane of the part want what the lane `apart` from it wants? */
static bool paired(const uint32_t *addresses, uint32_t mask, uint32_t apart) {
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m), other = i ^ apart;
        if (mask >> other & 1 && addresses[i] != addresses[other])
            return false;
    }
    return true;
}

uint32_t sg_passes(const uint32_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes) {
    uint32_t passes = 0, group = bytes <= 8 ? 32 : 16;
    for (uint32_t first = 0; first < 32; first += group) {
        uint32_t part = mask & (group == 32 ? SG_ALL : 0xffffu << first);
        if (part && bytes > 4 && (paired(addresses, part, 1) || paired(addresses, part, 2)))
            passes += passes_at_once(addresses, offset, part, bytes, false);
        else if (part)
            passes += sg_wavefronts(addresses, offset, part, bytes, false);
    }
    return passes;
}

void sg_count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    sg_counters *c = &w->count[ip->line];
    uint32_t wavefronts = sg_wavefronts(addresses, offset, mask, bytes, access == SG_ATOMIC);
    if (w->block->run->trace)
        sg_trace_shared(w, ip, access, addresses, offset, mask, wavefronts);
    if (access == SG_READ) {
        c->shared_load_requests++;
        c->shared_load_wavefronts += wavefronts;
    } else if (access == SG_WRITE) {
        c->shared_store_requests++;
        c->shared_store_wavefronts += wavefronts;
    } else {
        c->shared_atomic_requests++;
        c->shared_atomic_wavefronts += wavefronts;
    }
}

void sg_count_generic(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const uint64_t *addresses) {
    sg_counters *c = &w->count[ip->line];
    uint32_t global = 0, shared = 0, local = 0, low[SG_LANES] = {0};
    w->wrote |= access == SG_WRITE;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t at = addresses[i] + (uint64_t)ip->offset, window = at & SG_WINDOW_MASK;
        low[i] = (uint32_t)at;
        *(window == SG_SHARED_WINDOW  ? &shared
          : window == SG_LOCAL_WINDOW ? &local
                                      : &global) |= 1u << i;
    }
    if (global) {
        sg_count_global(w, ip, access, addresses, ip->offset, global, ip->width);
        if (w->block->shadow)
            sg_race_global(w, ip, addresses, ip->offset, global, ip->width, access);
    }
    if (shared) {
        sg_count_shared(w, ip, access, low, 0, shared, ip->width);
        if (w->block->shadow)
            sg_race_shared(w, ip, low, 0, shared, ip->width, access);
        if (w->block->written)
            sg_init_shared(w, ip, low, 0, shared, ip->width, access);
    }
    if (local && access == SG_READ)
        c->local_load_requests++;
    else if (local)
        c->local_store_requests++;
    if (local && w->block->run->trace)
        sg_trace_local(w, ip);
}

void sg_count_add(sg_counters *to, const sg_counters *from) {
    uint64_t *t = (uint64_t *)to;
    const uint64_t *f = (const uint64_t *)from;
    _Static_assert(sizeof(sg_counters) % sizeof(uint64_t) == 0, "counters are all 64 bits");
    for (size_t k = 0; k < sizeof *to / sizeof *t; k++)
        t[k] += f[k];
}
