/* race.c: races in shared memory. Each 4-byte word remembers who wrote and read it last since the
 * block's last barrier; an access by another thread that no barrier (or, within a warp, no
 * __syncwarp or instruction order) puts in order is reported. */
#include "runtime/softgpu/machine.h"

typedef struct sg_shadow {
    uint32_t writer, reader;          /* thread + 1; 0: none; READERS: several */
    uint32_t write_epoch, read_epoch; /* the warp's count of barriers then */
    bool atomic;
} sg_shadow;

#define READERS UINT32_MAX

size_t sg_shadow_bytes(uint32_t shared_bytes) {
    return ((size_t)shared_bytes / 4 + 2) * sizeof(sg_shadow);
}

static void report(sg_warp *w, const sg_op *ip, int lane, uint32_t word, uint32_t other,
                   const char *now, const char *before) {
    uint32_t nx = w->block->run->launch->block[0], ny = w->block->run->launch->block[1];
    if (other == READERS)
        sg_fault_raise(w, ip, lane, SG_ERR_LAUNCH_FAILURE, "race",
                       "this %s of shared memory (byte %u) is not in order with %s of several "
                       "other threads: a "
                       "__syncthreads() is missing between them",
                       now, word * 4, before);
    other--;
    sg_fault_raise(
        w, ip, lane, SG_ERR_LAUNCH_FAILURE, "race",
        "this %s of shared memory (byte %u) is not in order with the %s of thread (%u, %u, %u): a "
        "__syncthreads() is missing between them",
        now, word * 4, before, other % nx, other / nx % ny, other / nx / ny);
}

/* Ordered with an earlier access by `other` (thread + 1) at `epoch`? Lanes of a warp that runs
 * converged are in order; across warps only a barrier since then is. */
static bool ordered(const sg_warp *w, uint32_t me, uint32_t other, uint32_t epoch) {
    if (!other || other == me || epoch != w->epoch)
        return true;
    return other != READERS && (other - 1) / SG_LANES == (me - 1) / SG_LANES;
}

void sg_race_shared(sg_warp *w, const sg_op *ip, const uint32_t *addresses, int64_t offset,
                    uint32_t mask, uint32_t bytes, enum sg_access access) {
    sg_shadow *shadow = w->block->shadow;
    uint32_t writers[SG_LANES], n_words = (bytes + 3) / 4;
    (void)writers;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m), me = w->index * SG_LANES + i + 1;
        uint64_t at = (uint32_t)(addresses[i] + (uint32_t)offset);
        if (at >= w->shared_bytes || w->shared_bytes - at < bytes)
            return; /* the access itself reports that */
        for (uint32_t k = 0; k < n_words; k++) {
            uint32_t word = (uint32_t)(at / 4) + k;
            sg_shadow *s = &shadow[word];
            bool both_atomic = access == SG_ATOMIC && s->atomic;
            if (!both_atomic && !ordered(w, me, s->writer, s->write_epoch))
                report(w, ip, (int)i, word, s->writer, access == SG_READ ? "read" : "write",
                       "write");
            if (access != SG_READ && !ordered(w, me, s->reader, s->read_epoch))
                report(w, ip, (int)i, word, s->reader, "write", "read");
            if (access == SG_READ) {
                bool fresh = !s->reader || s->read_epoch != w->epoch || s->reader == me;
                s->reader = fresh ? me : READERS;
                s->read_epoch = w->epoch;
            } else {
                s->writer = me;
                s->write_epoch = w->epoch;
                s->atomic = access == SG_ATOMIC;
            }
        }
    }
}
