/* access.c: memory accesses one lane at a time, for what the vector paths of mem.c do not handle.
 * These are addresses outside the cached range, local memory that is not a row of words, generic
 * addresses of mixed spaces, and asynchronous copies. Only this file decides whether an access is
 * allowed.
 */
#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/vector.h"
#include "runtime/softgpu/watch/count/counters.h"
#include "runtime/softgpu/watch/check/init.h"
#include "runtime/softgpu/watch/check/race.h"

static bool inside(uint64_t lo, uint64_t hi, uint64_t at, uint64_t bytes) {
    return at >= lo && at < hi && hi - at >= bytes;
}

const sg_span *sg_span_fill(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                            enum sg_access access) {
    sg_span *s = &w->spans[ip->site];
    const sg_run *run = w->block->run;
    uint64_t lo, hi;
    sg_mem_kind kind;
    if (address & (bytes - 1))
        sg_fault_address(w, ip, lane, address, bytes, PTX_SPACE_GLOBAL, access);
    bool known = inside(s->rlo, s->rhi, address, bytes) && (access == SG_READ || s->lo != s->hi);
    if (!known && sg_mem_span(address, &lo, &hi, &kind)) {
        s->rlo = lo;
        s->rhi = hi;
        s->lo = lo;
        s->hi = kind == SG_MEM_CONSTANT ? lo : hi;
    } else if (!known) {
        uint64_t params = (uint64_t)(uintptr_t)run->params;
        if (!inside(params, params + run->param_bytes, address, bytes))
            sg_fault_address(w, ip, lane, address, bytes, PTX_SPACE_GLOBAL, access);
        s->rlo = s->lo = s->hi = params;
        s->rhi = params + run->param_bytes;
    }
    if (!inside(s->rlo, s->rhi, address, bytes) || (access != SG_READ && s->lo == s->hi))
        sg_fault_address(w, ip, lane, address, bytes, PTX_SPACE_GLOBAL, access);
    if (run->launch->options & SG_INITCHECK) {
        if (!sg_init_reads(w, ip, access))
            sg_mem_wrote(address, bytes);
        else if (!sg_mem_initialised(address, bytes))
            sg_fault_address(w, ip, lane, address, bytes, PTX_SPACE_REG, access);
    }
    return s;
}

/* Returns the space of an address, and changes the address to its offset there. */
static ptx_space resolve(ptx_space space, uint64_t *address) {
    if (space != PTX_SPACE_GENERIC)
        return space;
    uint64_t window = *address & SG_WINDOW_MASK;
    if (window == SG_SHARED_WINDOW || window == SG_LOCAL_WINDOW) {
        *address &= ~SG_WINDOW_MASK;
        return window == SG_SHARED_WINDOW ? PTX_SPACE_SHARED : PTX_SPACE_LOCAL;
    }
    return PTX_SPACE_GLOBAL;
}

/* Copies a lane's bytes of local memory in parts: memory is in rows of words, 32 lanes to a row. */
static void copy_local(sg_warp *w, int lane, uint64_t at, uint32_t bytes, char *data, bool store) {
    while (bytes) {
        uint32_t part = 4 - (uint32_t)(at & 3);
        if (part > bytes)
            part = bytes;
        char *p = w->local + at / 4 * 128 + 4 * lane + (at & 3);
        memcpy(store ? p : data, store ? data : p, part);
        at += part;
        data += part;
        bytes -= part;
    }
}

static void check(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t at,
                  uint32_t bytes, enum sg_access access) {
    uint64_t most = space == PTX_SPACE_SHARED ? w->shared_bytes : w->local_bytes;
    if (!inside(0, most, at, bytes) || (at & (bytes - 1)))
        sg_fault_address(w, ip, lane, at, bytes, space, access);
}

/* Returns an address in the program's shared memory or in the reserved part. */
static char *shared_at(sg_warp *w, const sg_op *ip, int lane, uint64_t at, uint32_t bytes,
                       enum sg_access access) {
    if (inside(SG_RESERVED_AT, SG_RESERVED_AT + SG_RESERVED_BYTES, at, bytes) &&
        !(at & (bytes - 1)))
        return w->shared + sg_reserved_place(w->shared_bytes) + (at - SG_RESERVED_AT);
    check(w, ip, PTX_SPACE_SHARED, lane, at, bytes, access);
    return w->shared + at;
}

void *sg_lane_pointer(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                      uint32_t bytes, enum sg_access access) {
    space = resolve(space, &address);
    if (space == PTX_SPACE_SHARED)
        return shared_at(w, ip, lane, address, bytes, access);
    if (space == PTX_SPACE_LOCAL) { /* callers use words, or pass bytes to sg_lane_load() */
        check(w, ip, space, lane, address, bytes, access);
        return bytes <= 4 ? w->local + address / 4 * 128 + 4 * lane + (address & 3) : NULL;
    }
    sg_span_fill(w, ip, lane, address, bytes, access);
    return (void *)(uintptr_t)address;
}

void sg_lane_load(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                  uint32_t bytes, void *to) {
    space = resolve(space, &address);
    if (space == PTX_SPACE_LOCAL) {
        check(w, ip, space, lane, address, bytes, SG_READ);
        copy_local(w, lane, address, bytes, to, false);
        return;
    }
    memcpy(to, sg_lane_pointer(w, ip, space, lane, address, bytes, SG_READ), bytes);
}

void sg_lane_store(sg_warp *w, const sg_op *ip, ptx_space space, int lane, uint64_t address,
                   uint32_t bytes, const void *from) {
    space = resolve(space, &address);
    if (space == PTX_SPACE_LOCAL) {
        check(w, ip, space, lane, address, bytes, SG_WRITE);
        char copy[64];
        memcpy(copy, from, bytes);
        copy_local(w, lane, address, bytes, copy, true);
        return;
    }
    memcpy(sg_lane_pointer(w, ip, space, lane, address, bytes, SG_WRITE), from, bytes);
}

/* cp.async, executed at once, so later waits find it done. a: shared, b: global, c: the bytes to
 * copy (the rest of the destination becomes zero), d: unused. */
void sg_copy_async(sg_warp *w, const sg_op *ip, char *r) {
    const sg_async *c = ip->aux;
    uint64_t sources[SG_LANES] = {0};
    uint32_t targets[SG_LANES] = {0}, read = 0;
    w->moved = true;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t to =
            c->wide_to ? ((const uint64_t *)(r + ip->a))[i] : ((const uint32_t *)(r + ip->a))[i];
        uint64_t from =
            c->wide_from ? ((const uint64_t *)(r + ip->b))[i] : ((const uint32_t *)(r + ip->b))[i];
        uint32_t size = c->has_size ? ((const uint32_t *)(r + ip->c))[i] : c->bytes;
        char data[16] = {0};
        if (size > c->bytes)
            size = c->bytes;
        to = (uint32_t)((uint32_t)to + (uint32_t)ip->offset);
        from += (uint64_t)(int64_t)ip->e;
        if (w->block->shadow) {
            if (size)
                sg_race_lane(w, ip, PTX_SPACE_GLOBAL, i, from, c->bytes, SG_READ);
            sg_race_lane(w, ip, PTX_SPACE_SHARED, i, to, c->bytes, SG_WRITE);
        }
        if (w->block->written)
            sg_init_lane(w, ip, i, to, c->bytes, SG_WRITE);
        if (size)
            memcpy(data, sg_lane_pointer(w, ip, PTX_SPACE_GLOBAL, i, from, c->bytes, SG_READ),
                   size);
        sg_lane_store(w, ip, PTX_SPACE_SHARED, i, to, c->bytes, data);
        sources[i] = from;
        targets[i] = (uint32_t)to;
        read |= (uint32_t)(size > 0) << i;
    }
    if (!(ip->flags & SG_F_COUNT))
        return;
    w->wrote = true;
    sg_count_shared(w, ip, SG_WRITE, targets, 0, w->mask, c->bytes);
    if (read)
        sg_count_global(w, ip, SG_READ, sources, 0, read, c->bytes);
}
