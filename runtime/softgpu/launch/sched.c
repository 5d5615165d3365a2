/* sched.c: runs a block's warps on one thread. Warps take turns: each runs until it waits (at a
 * barrier), ends, or has used up its slice. */
#include "runtime/base/base.h"
#include "runtime/softgpu/exec/print.h"
#include "runtime/softgpu/launch/launch.h"
#include "runtime/softgpu/watch/count/poll.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/record/record.h"
#include "runtime/softgpu/watch/trace/trace.h"

enum { UNSET = 0x5a }; /* as a float 1.5e16 */

_Atomic unsigned sg_interrupts;

void sg_interrupt(void) {
    atomic_fetch_add(&sg_interrupts, 1);
}

sg_block *sg_block_new(sg_worker *worker, bool watched) {
    sg_run *run = worker->run;
    sg_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->run = run;
    b->worker = worker;
    b->code = watched ? run->code : run->plain;
    b->threads = run->threads;
    b->n_warps = run->n_warps;
    b->warps = aligned_alloc(64, b->n_warps * sizeof *b->warps);
    uint32_t shared = sg_reserved_place(run->shared_bytes) + SG_RESERVED_BYTES;
    b->shared = aligned_alloc(64, shared);
    if (run->races && watched)
        b->shadow = sg_shadow_new(run->races, run->shared_bytes);
    bool unset = run->launch->options & (SG_INITCHECK | SG_SOME) ||
                 (run->races && run->launch->options & SG_EARLY);
    if ((run->early || unset) && watched)
        b->written = malloc(run->shared_bytes + 1);
    if (b->warps)
        memset(b->warps, 0, b->n_warps * sizeof *b->warps);
    if (!b->warps || !b->shared) {
        sg_block_free(b);
        return NULL;
    }
    memset(b->shared, 0, shared);
    return b;
}

void sg_block_free(sg_block *b) {
    if (!b)
        return;
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        WB_FREE(w->regs, w->local, w->joins, w->frames);
        sg_poll_free(w->poll);
        sg_trace_warp_free(w->trace);
    }
    WB_FREE(b->warps, b->shared, b->written, b->arrived);
    sg_shadow_free(b->shadow);
    WB_FREE(b->print, b);
}

static void warp_start(sg_block *b, uint32_t k, bool fresh) {
    sg_warp *w = &b->warps[k];
    const sg_func *entry = b->code->entry;
    uint32_t left = b->threads - k * SG_LANES, lanes = left >= SG_LANES ? SG_ALL : (1u << left) - 1;
    w->epoch = b->epoch;
    w->issued = w->accesses = w->prints = 0;
    w->record = NULL;
    if (fresh) {
        w->block = b;
        w->index = k;
        w->spans = b->worker->spans;
        w->count = b->worker->count;
        w->shared = b->shared;
        w->shared_bytes = b->run->shared_bytes;
        w->params = b->run->params;
        w->func = entry; /* the place of a fault, if there is no memory */
        w->ip = entry->ops;
        sg_warp_reserve(w, entry->frame_bytes, entry->local_bytes);
        sg_path_start(w, lanes);
        sg_frame_fill(w, entry, w->r, SG_ALL);
        w->ip = entry->ops;
        sg_exec(w);                  /* up to the halt before the first op */
        b->run->progress = wb_now(); /* clearing a warp's megabytes is progress */
    }
    w->record = sg_recorder_watches(b->run->record, b, k);
    sg_path_start(w, lanes);
    if (fresh)
        return;
    for (uint32_t s = 0; s < entry->n_block_specials; s++) {
        const sg_special *special = &entry->specials[s];
        uint32_t value = b->pos[special->kind - PTX_CTAID_X];
        char *place = w->r + special->place;
        for (int i = 0; i < SG_LANES; i++)
            if (special->bytes == 4)
                ((uint32_t *)place)[i] = value;
            else
                ((uint64_t *)place)[i] = value;
    }
}

void sg_block_start(sg_block *b, uint64_t id) {
    const uint32_t *grid = b->run->launch->grid;
    bool fresh = b->warps[0].regs == NULL;
    b->id = id;
    b->pos[0] = (uint32_t)(id % grid[0]);
    b->pos[1] = (uint32_t)(id / grid[0] % grid[1]);
    b->pos[2] = (uint32_t)(id / grid[0] / grid[1]);
    b->live_threads = b->threads;
    b->waiting_paths = 0;
    b->epoch = 1;
    b->missed = false;
    b->done = false;
    b->seen = 0;
    if (b->waited || b->run->trace) /* the trace keeps clocks there */
        memset(b->barriers, 0, sizeof b->barriers);
    b->waited = false;
    if (b->shadow)
        sg_race_block_starts(b);
    if (b->written)
        memset(b->written, 0, b->run->shared_bytes);
    if (b->run->early && b->written) /* zeros would hide what leftovers of other blocks show */
        memset(b->shared, UNSET, b->run->shared_bytes);
    b->traced = b->run->trace && sg_trace_block(b->run->trace, b);
    for (uint32_t k = 0; k < b->n_warps; k++)
        warp_start(b, k, fresh);
}

/* ---- running ------------------------------------------------------------------------------- */

static bool ready(const sg_warp *w) {
    if (w->mask)
        return !w->parked;
    for (uint32_t i = 0; i < w->n_paths; i++)
        if (w->paths[i].state == SG_PATH_READY)
            return true;
    return false;
}

static _Noreturn void deadlock(sg_block *b) {
    char text[600] = "";
    size_t len = 0;
    sg_warp *first = NULL;
    const sg_path *where = NULL;
    uint32_t waiting = 0, lines = 0, seen[4] = {0};
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        if (w->parked) /* stored as a path */
            sg_path_save(w, w->ip, SG_PATH_BARRIER);
        for (uint32_t i = 0; i < w->n_paths; i++) {
            const sg_path *p = &w->paths[i];
            const sg_func *f = w->frames[p->frame].func;
            uint32_t line = f->source->insts[f->insts[p->ip - f->ops]].loc.line;
            waiting += (uint32_t)__builtin_popcount(p->mask);
            if (!first) {
                first = w;
                where = p;
            }
            bool known = false;
            for (uint32_t n = 0; n < lines; n++)
                known |= seen[n] == line;
            if (!known && lines < WB_COUNT(seen)) {
                seen[lines++] = line;
                len += (size_t)snprintf(text + len, sizeof text - len, _("%s line %u"),
                                        len ? "," : "", line);
            }
        }
    }
    first->frame = where->frame;
    first->func = first->frames[where->frame].func;
    first->mask = where->mask;
    sg_fault_raise(
        first, where->ip, __builtin_ctz(where->mask), SG_FAULT_DEADLOCK,
        _("%u of %u threads of the block wait at barriers or warp synchronisations (in%s) "
          "for threads that will not come; a __syncthreads() must be reached by all threads, a "
          "_sync "
          "call of a warp by all lanes of its mask"),
        waiting, b->live_threads, text);
}

#define WATCHDOG_S 10.0

static double patience(void) { /* of the watchdog, in seconds */
    return wb_setting_seconds("WARPBOOK_SOFTGPU_WATCHDOG", WATCHDOG_S);
}

/* Raises the fault at the first runnable warp, because any of them will do. */
static void stop_anywhere(sg_block *b, sg_fault_kind kind, const char *why) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        if (w->mask && w->ip)
            sg_fault_raise(w, w->ip, __builtin_ctz(w->mask), kind, "%s", why);
    }
    sg_fault_run(b->run, kind, why);
}

/* The watchdog. */
static void endless_wait(sg_block *b) {
    char why[300];
    snprintf(
        why, sizeof why,
        _("every thread that runs has only been polling memory for %g seconds, and none has "
          "written: "
          "do they wait for a thread that cannot come, for a block that was not started, or for "
          "a lock that no thread releases?"),
        patience());
    stop_anywhere(b, SG_FAULT_DEADLOCK, why);
}

void sg_block_check(sg_block *b) {
    if (atomic_load_explicit(&sg_interrupts, memory_order_relaxed) != b->run->generation)
        stop_anywhere(b, SG_FAULT_INTERRUPTED, _("the kernel was interrupted before it had ended"));
}

/* Checks the clock: stops if the launch was stopped, or if its threads only poll memory. */
static bool look_around(sg_block *b, double *began, bool spinning) {
    sg_run *run = b->run;
    double now = wb_now();
    if (!b->seen)
        b->seen = now;
    uint64_t done = atomic_load_explicit(&run->done_blocks, memory_order_relaxed);
    sg_block_check(b);
    if (!*began)
        *began = now;
    if (!spinning || done != b->worker->seen_done)
        run->progress = now;
    b->worker->seen_done = done;
    if (b->print_len && now - b->seen > 0.05)
        sg_print_flush(b);
    if (spinning && now - run->progress > patience())
        endless_wait(b);
    return atomic_load_explicit(&run->stop, memory_order_relaxed) != 0;
}

bool sg_block_run(sg_block *b, bool short_turn) {
    double began = 0;
    b->gives_way = false;
    for (unsigned round = 1;; round++) {
        bool any = false, slice = false, turn = false, works = false;
        b->polling = true;
        b->turn_clock = UINT32_MAX;
        for (uint32_t k = 0; k < b->n_warps; k++) {
            sg_warp *w = &b->warps[k];
            if (!ready(w))
                continue;
            any = true;
            w->budget = b->traced ? 1 : SG_SLICE;
            w->spinning = w->moved = false;
            if (!w->mask)
                w->ip = sg_path_next(w);
            b->turn = w;
            sg_exec(w);
            w = b->turn; /* a warp that parks at a barrier gives its turn to the next one */
            k = w->index;
            if (w->stop == SG_STOP_SLICE) {
                slice = true;
                if (w->spinning && !sg_poll_patient(w))
                    sg_path_yield(w);
            }
            turn |= w->stop == SG_STOP_TURN;
            works |= w->stop != SG_STOP_TURN && !(w->spinning && !w->moved);
            sg_slice_ends(b, w);
        }
        if (!b->live_threads)
            return true;
        if (!any) {
            for (uint32_t k = 0; k < b->n_warps; k++) { /* warps that wait for their own lanes */
                sg_warp *w = &b->warps[k];
                const sg_op *ip = w->n_paths && !w->mask ? sg_path_next(w) : NULL;
                if (ip) {
                    w->ip = ip;
                    any = true;
                }
            }
            if (!any)
                deadlock(b);
        }
        turn &= !works; /* nothing is left to do but accesses out of turn */
        if (!slice && !turn && !b->gives_way && (round & 255))
            continue;
        if (look_around(b, &began, b->polling) || turn)
            return false;
        if (b->gives_way ||
            ((short_turn || b->run->alone || wb_now() - began > 0.02) && b->polling))
            return false;
    }
}
