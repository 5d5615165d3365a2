/* bulk.c: see bulk.h. Times are measured on an H200 (tests/gpu/results/micro, "a bulk copy ..."). A
 * copy to shared memory takes 288 clocks, as a load from L2 does, and one more for each 97 bytes. A
 * copy back takes 40 clocks, and one for each 32 bytes. A multiprocessor makes one copy at a
 * time. */
#include "runtime/softgpu/watch/trace/bulk.h"

#include "runtime/softgpu/watch/trace/chain.h"

#define TO_SHARED_BYTES 97.0 /* per clock */
#define BACK_BYTES 32.0
#define BACK_CLOCKS 40

static size_t words_of(const sg_block *b) {
    return (sg_reserved_place(b->run->shared_bytes) + SG_RESERVED_BYTES) / 8;
}

bool sg_bulk_begin(sg_block *b) {
    b->copies_end = 0;
    if (!b->code->barriers)
        return true;
    if (!b->arrived)
        b->arrived = malloc(words_of(b) * sizeof *b->arrived);
    if (b->arrived)
        memset(b->arrived, 0, words_of(b) * sizeof *b->arrived);
    return b->arrived;
}

static uint32_t *clock_of(sg_block *b, const uint64_t *word) {
    return &b->arrived[word - (const uint64_t *)b->shared];
}

static bool followed(const sg_warp *w) {
    return w->trace && w->trace->close && w->block->arrived;
}

void sg_bulk_arrive(sg_warp *w, const uint64_t *word) {
    if (!followed(w))
        return;
    uint32_t *clock = clock_of(w->block, word);
    *clock = sg_later(*clock, sg_chain_asks(w->trace));
}

void sg_bulk_asked(sg_warp *w, const sg_op *ip, const uint64_t *word, bool over) {
    if (!followed(w))
        return;
    sg_trace_warp *mine = w->trace;
    if (mine->stands_at == ip) /* how often it polls depends on this machine */
        sg_chain_back(mine, mine->stands);
    mine->stands = sg_chain_asks(mine);
    mine->stands_at = over ? NULL : ip;
    uint32_t there = over ? *clock_of(w->block, word) : 0;
    if (there > mine->stands)
        sg_chain_idle(mine, there - mine->stands, SG_WAIT_LOAD);
}

void sg_bulk_copy(sg_warp *w, const sg_op *ip, enum sg_access access, uint64_t global,
                  uint32_t bytes, const uint64_t *word) {
    sg_block *b = w->block;
    uint32_t latency = sg_trace_copy(w, ip, access, global, bytes);
    if (!followed(w))
        return;
    uint32_t begins = sg_later(sg_chain_asks(w->trace), b->copies_end);
    if (access == SG_READ) {
        b->copies_end = begins + (uint32_t)(bytes / TO_SHARED_BYTES);
        uint32_t *clock = clock_of(b, word);
        *clock = sg_later(*clock, b->copies_end + latency);
    } else {
        b->copies_end = begins + (uint32_t)(bytes / BACK_BYTES);
        sg_chain_copied(w->trace, b->copies_end + BACK_CLOCKS);
    }
}
