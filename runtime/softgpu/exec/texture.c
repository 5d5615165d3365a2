/* texture.c: runs fetches of textures, and loads and stores of surfaces, one lane at a time. Each
 * texel is checked as any other access to memory, so an object may outlive its array. */
#include "runtime/softgpu/exec/texture.h"
#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/exec.h"
#include "runtime/softgpu/texture/texture.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/count/counters.h"

static const sg_texture *object_of(sg_warp *w, const sg_op *ip, const char *r, int lane,
                                   bool surface) {
    const sg_texture_op *o = ip->aux;
    uint64_t handle = ((const uint64_t *)(r + o->object))[lane] + (uint64_t)ip->offset;
    const sg_texture *t = sg_texture_find(handle, surface);
    if (!t)
        sg_fault_raise(w, ip, lane, SG_FAULT_TEXTURE,
                       _("%llu is no %s object: it was never created, or is destroyed"),
                       (unsigned long long)handle, surface ? _("surface") : _("texture"));
    if (t->dims != o->dims || t->layered != o->layered || (t->cube != o->cube && !surface))
        sg_fault_raise(
            w, ip, lane, SG_FAULT_TEXTURE,
            _("the object has %u dimensions%s%s; the function in the kernel is for %u%s%s"),
            t->dims, t->layered ? _(", layers") : "", t->cube ? _(", cube maps") : "", o->dims,
            o->layered ? _(", layers") : "", o->cube ? _(", cube maps") : "");
    return t;
}

static void *memory_at(sg_warp *w, const sg_op *ip, int lane, uint64_t address, uint32_t bytes,
                       enum sg_access access) {
    const sg_span *s = &w->spans[ip->site];
    if (w->block->shadow)
        sg_race_lane(w, ip, PTX_SPACE_GLOBAL, lane, address, bytes, access);
    if (access == SG_READ && address >= s->rlo && address + bytes <= s->rhi &&
        !(w->block->run->launch->options & SG_INITCHECK) && !(address & (bytes - 1)))
        return (void *)(uintptr_t)address; /* as sg_lane_pointer() finds, without the call */
    return sg_lane_pointer(w, ip, PTX_SPACE_GLOBAL, lane, address, bytes, access);
}

/* ---- fetches ------------------------------------------------------------------------------ */

static void fetch_of(const sg_texture_op *o, const char *r, int lane, sg_fetch *f) {
    for (int k = 0; k < 3 && o->at[k] >= 0; k++)
        f->at[k] = o->whole ? ((const int32_t *)(r + o->at[k]))[lane]
                            : (double)((const float *)(r + o->at[k]))[lane];
    f->layer = o->layer >= 0 ? ((const uint32_t *)(r + o->layer))[lane] : 0;
}

/* Takes one channel of each texel. */
static void gather(const sg_texture *t, uint32_t channel, const sg_tap *taps, uint32_t (*texels)[4],
                   uint32_t out[4]) {
    static const uint8_t turn[] = {2, 3, 1, 0}; /* counter-clockwise from the lower left */
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t value[4];
        sg_texture_value(t, &taps[turn[k]], &texels[turn[k]], 1, value);
        out[k] = value[channel];
    }
}

void sg_texture_fetch(sg_warp *w, const sg_op *ip, char *r) {
    const sg_texture_op *o = ip->aux;
    sg_fetch f = {.whole = o->whole, .filters = o->gathers >= 0};
    sg_texture_seen seen;
    memset(&seen, 0, offsetof(sg_texture_seen, addresses));
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        const sg_texture *t = object_of(w, ip, r, lane, false);
        fetch_of(o, r, lane, &f);
        sg_tap taps[SG_TAPS];
        uint32_t texels[SG_TAPS][4], out[4], n = sg_texture_taps(t, &f, taps);
        uint32_t bytes = sg_texel_bytes(t);
        for (uint32_t k = 0; k < n; k++) {
            if (!taps[k].address) {
                sg_texel_border(t, texels[k]);
                continue;
            }
            sg_texel_read(t, memory_at(w, ip, lane, taps[k].address, bytes, SG_READ), texels[k]);
            if (ip->flags & SG_F_COUNT)
                sg_count_texel(&seen, lane, sg_texel_tile(t, taps[k].address), bytes);
        }
        if (o->gathers >= 0)
            gather(t, (uint32_t)o->gathers, taps, texels, out);
        else
            sg_texture_value(t, taps, texels, n, out);
        for (int c = 0; c < 4; c++)
            if (o->values[c] >= 0)
                ((uint32_t *)(r + o->values[c]))[lane] = out[c];
    }
    if (o->resident >= 0)
        PRED(o->resident) |= w->mask;
    if (ip->flags & SG_F_COUNT)
        sg_count_texture(w, ip, SG_READ, &seen);
}

/* ---- surfaces ----------------------------------------------------------------------------- */

/* Returns the address of a lane's access, or 0 if it does not take place. */
static uint64_t surface_at(sg_warp *w, const sg_op *ip, const char *r, int lane,
                           const sg_texture *t) {
    const sg_texture_op *o = ip->aux;
    const sg_image *image = &t->image;
    const int64_t most[] = {(int64_t)image->width * sg_texel_bytes(t) - o->n * o->bytes,
                            image->height - 1, image->depth - 1};
    const uint64_t steps[] = {1, image->pitch, image->slice};
    uint64_t address = (uintptr_t)image->base;
    for (int k = 0; k < 3; k++) {
        int64_t at = o->at[k] < 0 ? 0 : ((const int32_t *)(r + o->at[k]))[lane];
        bool outside = at < 0 || at > most[k];
        if (outside && o->boundary == SG_BOUNDARY_TRAP)
            sg_fault_raise(w, ip, lane, SG_FAULT_SURFACE,
                           _("%c is %lld, and must be from 0 to %lld (x counts bytes, not "
                             "elements; z may be a layer)"),
                           "xyz"[k], (long long)at, (long long)most[k]);
        if (outside && o->boundary == SG_BOUNDARY_ZERO)
            return 0;
        address += steps[k] * (uint64_t)(at < 0 ? 0 : at > most[k] ? most[k] : at);
    }
    return address;
}

void sg_surface_access(sg_warp *w, const sg_op *ip, char *r) {
    const sg_texture_op *o = ip->aux;
    enum sg_access access = o->store ? SG_WRITE : SG_READ;
    sg_texture_seen seen;
    memset(&seen, 0, offsetof(sg_texture_seen, addresses));
    w->moved |= o->store;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        const sg_texture *t = object_of(w, ip, r, lane, true);
        uint64_t at = surface_at(w, ip, r, lane, t);
        uint32_t stride = o->bytes > 4 ? 8 : 4, bytes = o->n * o->bytes;
        char *memory = at ? memory_at(w, ip, lane, at, bytes, access) : NULL;
        for (uint32_t k = 0; k < o->n; k++) {
            char *value = o->values[k] < 0 ? NULL : r + o->values[k] + stride * (uint32_t)lane;
            if (o->store && memory)
                memcpy(memory + k * o->bytes, value, o->bytes);
            if (o->store || !value)
                continue;
            memset(value, 0, stride);
            if (memory)
                memcpy(value, memory + k * o->bytes, o->bytes);
        }
        if (memory && ip->flags & SG_F_COUNT)
            sg_count_texel(&seen, lane, sg_texel_tile(t, at), bytes);
    }
    if (ip->flags & SG_F_COUNT)
        sg_count_texture(w, ip, access, &seen);
}
