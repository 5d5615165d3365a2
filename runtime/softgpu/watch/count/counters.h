/* counters.h: exact counts of memory requests (counters.c). */
#pragma once

#include "runtime/softgpu/machine/machine.h"

/* Adds a request to global memory. `used`: its bytes, each once. */
static inline void sg_count_request(sg_counters *c, enum sg_access access, uint64_t sectors,
                                    uint64_t bytes, uint64_t used) {
    if (access == SG_READ) {
        c->global_load_requests++;
        c->global_load_sectors += sectors;
        c->global_load_bytes += bytes;
        c->global_load_used += used;
    } else if (access == SG_WRITE) {
        c->global_store_requests++;
        c->global_store_sectors += sectors;
        c->global_store_bytes += bytes;
        c->global_store_used += used;
    } else {
        c->global_atomic_requests++;
        c->global_atomic_sectors += sectors;
    }
}
/* Adds a request to shared memory. */
static inline void sg_count_wavefronts(sg_counters *c, enum sg_access access, uint32_t wavefronts) {
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
void sg_count_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
void sg_count_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
/* The same, and checks the request for races and unwritten words if the launch asks for it. */
void sg_watch_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
void sg_watch_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes);
/* Counts the lanes of each space as a request of its own, for generic addresses not all global. */
void sg_count_generic(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const uint64_t *addresses);
/* The texels that a warp's instruction touches: each lane's, in rows of one for each lane. */
enum { SG_TEXELS = 16 };
typedef struct sg_texture_seen {
    uint32_t masks[SG_TEXELS], bytes;
    uint8_t n[SG_LANES];
    uint64_t addresses[SG_TEXELS][SG_LANES]; /* valid where the masks say */
} sg_texture_seen;
void sg_count_texel(sg_texture_seen *seen, int lane, uint64_t address, uint32_t bytes);
/* Counts them as one request. For trace/ each row is an access of its own. */
void sg_count_texture(sg_warp *w, const sg_op *ip, enum sg_access access,
                      const sg_texture_seen *seen);
void sg_count_add(sg_counters *to, const sg_counters *from);
