/* counters.c: counts the sectors of a request to global memory, 32 aligned bytes each, and the
 * wavefronts of a request to shared memory (queue/banks.c). */
#include "runtime/softgpu/watch/count/counters.h"

#include "runtime/softgpu/watch/check/init.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/queue/banks.h"
#include "runtime/softgpu/watch/record/record.h"
#include "runtime/softgpu/watch/trace/trace.h"

/* Counts the distinct values of sector[0..n), n up to 64. Lanes are mostly in address order, so
 * duplicates are adjacent. A small hash table handles other cases. */
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

/* Returns true if the sectors matter. If only a time is wanted, only traced blocks need them. */
static bool wants_sectors(const sg_warp *w) {
    return w->record || w->block->run->launch->options & (SG_COUNT | SG_LINES) || w->block->traced;
}

static uint32_t sectors_of(const uint64_t *addresses, int64_t offset, uint32_t mask,
                           uint32_t bytes) {
    uint64_t sector[64];
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addresses[__builtin_ctz(m)] + (uint64_t)offset;
        sector[n++] = at >> 5;
        if ((at + bytes - 1) >> 5 != at >> 5)
            sector[n++] = (at + bytes - 1) >> 5;
    }
    return distinct(sector, n);
}

/* Returns the requested bytes, each counted once however many lanes request it. Aligned accesses
 * are either equal or disjoint. */
static uint32_t used_by(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
    uint64_t at[SG_LANES];
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        at[n++] = addresses[__builtin_ctz(m)];
    return bytes * distinct(at, n);
}

void sg_count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    if (w->block->run->trace)
        sg_trace_global(w, ip, access, addresses, offset, mask, bytes, false);
    if (access == SG_READ && ip->flags & SG_F_CONSTANT)
        return; /* it has a cache of its own */
    bool exactly = wants_sectors(w);
    uint32_t sectors = exactly ? sectors_of(addresses, offset, mask, bytes) : 0;
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    if (w->record)
        sg_record_global(w, ip, access, addresses, offset, mask, bytes, sectors);
    bool counts_used = exactly && access != SG_ATOMIC;
    sg_count_request(&w->count[ip->line], access, sectors, (uint64_t)lanes * bytes,
                     counts_used ? used_by(addresses, mask, bytes) : 0);
}

void sg_count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    uint32_t wavefronts = sg_wavefronts(addresses, offset, mask, bytes, access == SG_ATOMIC);
    if (w->block->run->trace)
        sg_trace_shared(w, ip, access, addresses, offset, mask, wavefronts);
    if (w->record)
        sg_record_shared(w, ip, access, addresses, offset, mask, bytes, wavefronts);
    sg_count_wavefronts(&w->count[ip->line], access, wavefronts);
}

void sg_watch_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    sg_count_global(w, ip, access, addresses, offset, mask, bytes);
    if (w->block->shadow)
        sg_race_global(w, ip, addresses, offset, mask, bytes, access);
}

void sg_watch_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    sg_count_shared(w, ip, access, addresses, offset, mask, bytes);
    if (w->block->shadow)
        sg_race_shared(w, ip, addresses, offset, mask, bytes, access);
    if (w->block->written)
        sg_init_shared(w, ip, addresses, offset, mask, bytes, access);
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
    if (global)
        sg_watch_global(w, ip, access, addresses, ip->offset, global, ip->width);
    if (shared)
        sg_watch_shared(w, ip, access, low, 0, shared, ip->width);
    if (local && access == SG_READ)
        c->local_load_requests++;
    else if (local)
        c->local_store_requests++;
    if (local && w->block->run->trace)
        sg_trace_local(w, ip);
}

void sg_count_texel(sg_texture_seen *seen, int lane, uint64_t address, uint32_t bytes) {
    uint32_t k = seen->n[lane]++;
    seen->masks[k] |= 1u << lane;
    seen->addresses[k][lane] = address;
    seen->bytes = bytes;
}

void sg_count_texture(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const sg_texture_seen *seen) {
    sg_counters *c = &w->count[ip->line];
    uint64_t sectors[SG_TEXELS * SG_LANES];
    uint32_t n = 0;
    w->wrote |= access == SG_WRITE;
    c->texture_requests++;
    for (uint32_t k = 0; k < SG_TEXELS && seen->masks[k]; k++) {
        if (w->block->run->trace)
            sg_trace_global(w, ip, access, seen->addresses[k], 0, seen->masks[k], seen->bytes,
                            false);
        for (uint32_t m = seen->masks[k]; m; m &= m - 1)
            sectors[n++] = seen->addresses[k][__builtin_ctz(m)] / 32;
    }
    qsort(sectors, n, sizeof *sectors, sg_by_number);
    for (uint32_t k = 0; k < n; k++)
        c->texture_sectors += k == 0 || sectors[k] != sectors[k - 1];
}

void sg_count_add(sg_counters *to, const sg_counters *from) {
    uint64_t *t = (uint64_t *)to;
    const uint64_t *f = (const uint64_t *)from;
    _Static_assert(sizeof(sg_counters) % sizeof(uint64_t) == 0, "counters are all 64 bits");
    for (size_t k = 0; k < sizeof *to / sizeof *t; k++)
        t[k] += f[k];
}
