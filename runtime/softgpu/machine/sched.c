/* sched.c: a block and its warps on one thread. Warps take turns: one runs until it waits (at a
 * barrier), ends, or has used up its slice. Barriers count arrived threads and open when all that
 * are expected, or all that still live, have come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/watch/poll.h"
#include "runtime/softgpu/watch/race.h"

sg_block *sg_block_new(sg_worker *worker) {
    sg_run *run = worker->run;
    sg_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->run = run;
    b->worker = worker;
    b->threads = run->threads;
    b->n_warps = run->n_warps;
    b->warps = aligned_alloc(64, b->n_warps * sizeof *b->warps);
    uint32_t shared = sg_reserved_place(run->shared_bytes) + SG_RESERVED_BYTES;
    b->shared = aligned_alloc(64, shared);
    if (run->races)
        b->shadow = sg_shadow_new(run->races, run->shared_bytes);
    if (run->launch->options & SG_INITCHECK)
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
        free(w->regs);
        free(w->local);
        free(w->joins);
        free(w->frames);
        sg_poll_free(w->poll);
    }
    free(b->warps);
    free(b->shared);
    free(b->written);
    sg_shadow_free(b->shadow);
    free(b->print);
    free(b);
}

static void warp_start(sg_block *b, uint32_t k, bool fresh) {
    sg_warp *w = &b->warps[k];
    const sg_func *entry = b->run->code->entry;
    uint32_t lanes = b->threads - k * SG_LANES;
    w->epoch = b->epoch;
    w->issued = 0;
    if (fresh) {
        w->block = b;
        w->index = k;
        w->spans = b->worker->spans;
        w->count = b->worker->count;
        w->shared = b->shared;
        w->shared_bytes = b->run->shared_bytes;
        w->params = b->run->params;
        sg_warp_reserve(w, entry->frame_bytes, entry->local_bytes);
        sg_path_start(w, SG_ALL);
        sg_frame_fill(w, entry, w->r, SG_ALL);
        w->ip = entry->ops;
        sg_exec(w); /* up to the halt before the first op */
    }
    sg_path_start(w, lanes >= SG_LANES ? SG_ALL : (1u << lanes) - 1);
    if (fresh)
        return;
    for (uint32_t s = 0; s < entry->n_block_specials; s++) {
        const sg_special *special = &entry->specials[s];
        uint32_t value = b->pos[special->kind - SG_CTAID_X];
        char *place = w->r + special->place;
        for (int i = 0; i < SG_LANES; i++)
            if (special->bytes == 4)
                ((uint32_t *)place)[i] = value;
            else
                ((uint64_t *)place)[i] = value;
    }
}

bool sg_block_start(sg_block *b, uint64_t id) {
    const uint32_t *grid = b->run->launch->grid;
    bool fresh = b->warps[0].regs == NULL;
    b->id = id;
    b->pos[0] = (uint32_t)(id % grid[0]);
    b->pos[1] = (uint32_t)(id / grid[0] % grid[1]);
    b->pos[2] = (uint32_t)(id / grid[0] / grid[1]);
    b->live_threads = b->threads;
    b->waiting_paths = 0;
    b->epoch = 1;
    b->done = false;
    memset(b->barriers, 0, sizeof b->barriers);
    if (b->shadow)
        sg_race_block_starts(b);
    if (b->written)
        memset(b->written, 0, b->run->shared_bytes);
    for (uint32_t k = 0; k < b->n_warps; k++)
        warp_start(b, k, fresh);
    return true;
}

int64_t sg_special_value(const sg_warp *w, int kind, int lane) {
    const sg_block *b = w->block;
    const sg_launch *l = b->run->launch;
    uint32_t thread = w->index * SG_LANES + (uint32_t)lane;
    uint64_t workspace = (uint64_t)(uintptr_t)b->run->grid_workspace;
    switch (kind) {
    case SG_TID_X:
        return thread % l->block[0];
    case SG_TID_Y:
        return thread / l->block[0] % l->block[1];
    case SG_TID_Z:
        return thread / l->block[0] / l->block[1];
    case SG_NTID_X:
        return l->block[0];
    case SG_NTID_Y:
        return l->block[1];
    case SG_NTID_Z:
        return l->block[2];
    case SG_CTAID_X:
        return b->pos[0];
    case SG_CTAID_Y:
        return b->pos[1];
    case SG_CTAID_Z:
        return b->pos[2];
    case SG_NCTAID_X:
        return l->grid[0];
    case SG_NCTAID_Y:
        return l->grid[1];
    case SG_NCTAID_Z:
        return l->grid[2];
    case SG_LANEID:
        return lane;
    case SG_WARPID:
        return w->index;
    case SG_NWARPID:
        return 64;
    case SG_SMID:
        return 0;
    case SG_NSMID:
        return 132;
    case SG_GRIDID:
        return 1;
    case SG_LANEMASK_EQ:
        return 1u << lane;
    case SG_LANEMASK_LT:
        return (1u << lane) - 1;
    case SG_LANEMASK_LE:
        return (1ull << (lane + 1)) - 1;
    case SG_LANEMASK_GT:
        return (uint32_t) ~((1ull << (lane + 1)) - 1);
    case SG_LANEMASK_GE:
        return (uint32_t) ~((1u << lane) - 1);
    case SG_DYNAMIC_SMEM:
        return b->run->dynamic_shared;
    case SG_TOTAL_SMEM:
        return (b->run->shared_bytes + 127) & ~127u; /* in units of allocation */
    case SG_ALL_SMEM:
        return b->run->shared_bytes + SG_RESERVED_BYTES; /* not rounded, on an H200 */
    case SG_RESERVED_BEGIN:
        return SG_RESERVED_AT;
    case SG_RESERVED_SECOND:
        return SG_RESERVED_AT + SG_RESERVED_BYTES / 2;
    case SG_RESERVED_END:
        return SG_RESERVED_AT + SG_RESERVED_BYTES;
    case SG_ENVREG1:
        return (int64_t)(workspace >> 32);
    case SG_ENVREG2:
        return (int64_t)(workspace & 0xffffffffu);
    case SG_ONE:
        return 1;
    default:
        return 0;
    }
}

/* ---- barriers ------------------------------------------------------------------------------ */

enum { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR };

/* The result of a bar.red for the lanes of mask. */
static void deliver(const sg_barrier *bar, const sg_op *op, char *r, uint32_t mask) {
    if (op->mode == BAR_POPC) {
        for (uint32_t m = mask; m; m &= m - 1)
            ((uint32_t *)(r + op->d))[__builtin_ctz(m)] = bar->popc;
        return;
    }
    bool yes = op->mode == BAR_AND ? bar->popc == bar->votes : bar->popc != 0;
    uint32_t *pred = (uint32_t *)(r + op->d);
    *pred = (*pred & ~mask) | (yes ? mask : 0);
}

static bool is_exit(const ptx_inst *inst) {
    return !strcmp(inst->opcode, "ret") || !strcmp(inst->opcode, "exit");
}

/* The line of the one place before instruction `barrier` at which a thread may leave the kernel;
 * 0: there is none, or several. A `return` is a branch to the kernel's end. */
static uint32_t way_out(const ptx_function *f, uint32_t barrier) {
    uint32_t line = 0;
    for (uint32_t k = 0; k < barrier; k++) {
        const ptx_inst *inst = &f->insts[k];
        uint32_t to = k;
        if (!strcmp(inst->opcode, "bra") && inst->n_ops)
            to = inst->ops[0].target;
        if (!inst->guard || !f->is_entry || (to < f->n_insts && !is_exit(&f->insts[to])))
            continue;
        if (line && line != inst->loc.line)
            return 0;
        line = inst->loc.line;
    }
    return line;
}

/* Is a checker on? (racecheck, memcheck) */
static bool checked(const sg_run *run) {
    return run->launch->options & (SG_RACECHECK | SG_INITCHECK);
}

/* Once for each kernel: a barrier that opens without threads is no fault, but seldom meant. */
static void tell_gone(sg_kernel *kernel, const sg_gone *gone) {
    char name[256], left[60] = "";
    if (kernel->told_gone)
        return;
    kernel->told_gone = true;
    if (gone->left)
        snprintf(left, sizeof left, " (they left in line %u)", gone->left);
    fprintf(stderr,
            "softgpu: %s:%u in %s, block (%u, %u, %u): %u of %u threads had ended%s when the "
            "others met at this barrier; a __syncthreads() should be reached by all threads of "
            "the block\n",
            gone->file ? gone->file : "a file without -lineinfo", gone->barrier,
            sg_demangle(kernel->info.name, name, sizeof name), gone->block[0], gone->block[1],
            gone->block[2], gone->threads, gone->of, left);
}

/* The barrier, where path `ip` of `f` waits, opens without threads that have ended. */
static void note_gone(const sg_block *b, const sg_func *f, const sg_op *ip) {
    sg_run *run = b->run;
    pthread_mutex_lock(&run->lock);
    sg_gone *gone = &run->launch->gone;
    if (!gone->threads) {
        uint32_t inst = f->insts[ip - f->ops];
        const ptx_module *ptx = f->code->kernel->module->ptx;
        const ptx_loc *loc = &f->source->insts[inst].loc;
        *gone = (sg_gone){.threads = b->threads - b->live_threads,
                          .of = b->threads,
                          .block = {b->pos[0], b->pos[1], b->pos[2]},
                          .file = loc->file < ptx->n_files ? ptx->files[loc->file] : NULL,
                          .barrier = loc->line,
                          .left = way_out(f->source, inst)};
        if (checked(run))
            tell_gone(run->launch->kernel, gone);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Lanes that wait at a barrier. */
typedef struct waiting {
    sg_warp *warp; /* NULL: none */
    int32_t frame;
    const sg_op *ip;
    uint32_t mask;
} waiting;

static const ptx_loc *line_of(const waiting *at) {
    const sg_func *f = at->warp->frames[at->frame].func;
    return &f->source->insts[f->insts[at->ip - f->ops]].loc;
}

static _Noreturn void divergent(const sg_block *b, const waiting *one, const waiting *other) {
    uint32_t x = b->run->launch->block[0], y = b->run->launch->block[1];
    uint32_t t = other->warp->index * SG_LANES + (uint32_t)__builtin_ctz(other->mask);
    const ptx_loc *here = line_of(one), *there = line_of(other);
    char line[60] = "in the same line (another turn of a loop?)";
    if (there->line != here->line || there->file != here->file)
        snprintf(line, sizeof line, "in line %u", there->line);
    sg_warp *w = one->warp;
    w->frame = one->frame;
    w->func = w->frames[one->frame].func;
    w->mask = one->mask;
    sg_fault_raise(w, one->ip, __builtin_ctz(one->mask), SG_ERR_LAUNCH_FAILURE, "divergent barrier",
                   "this thread waits here while thread (%u, %u, %u)%s waits at another barrier, "
                   "%s; all threads of a block must reach the same __syncthreads(), those that "
                   "take another branch as well: put it behind the branches. A GPU may hang here, "
                   "or go on too early",
                   t % x, t / x % y, t / x / y, w == other->warp ? " of the same warp" : "", line);
}

/* With a checker: are those for whom barrier `id` opens all at the same instruction? With a count
 * of threads, as specialised warps use it, the lanes of each warp. */
static void check_together(sg_block *b, uint32_t id) {
    waiting first = {0};
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        bool parked = w->parked == id + 1;
        if (b->barriers[id].expected)
            first.warp = NULL;
        for (uint32_t i = 0; parked ? !i : i < w->n_paths; i++) {
            const sg_path *p = &w->paths[i];
            waiting here = {w, w->frame, w->ip, w->mask};
            if (!parked)
                here = (waiting){w, p->frame, p->ip, p->mask};
            if (!parked && (p->state != SG_PATH_BARRIER || p->barrier != id))
                continue;
            if (!(here.ip->flags & SG_F_ALIGNED))
                continue;
            if (first.warp && first.ip != here.ip)
                divergent(b, &here, &first);
            if (!first.warp)
                first = here;
        }
    }
}

/* Opens barrier `id` when everybody is there: the waiting paths of all warps go on. */
static bool barrier_open(sg_block *b, uint32_t id) {
    sg_barrier *bar = &b->barriers[id];
    uint32_t expected = bar->expected ? bar->expected : b->live_threads;
    if (!bar->used || bar->arrived < expected)
        return false;
    if (checked(b->run))
        check_together(b, id);
    b->epoch++;
    bool some_gone =
        !bar->expected && b->live_threads < b->threads && !b->run->launch->gone.threads;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        if (w->parked == id + 1) {
            if (some_gone)
                note_gone(b, w->func, w->ip);
            if (w->ip->mode >= BAR_POPC)
                deliver(bar, w->ip, w->r, w->mask);
            w->ip++;
            w->parked = 0;
            w->epoch = b->epoch;
            b->waiting_paths--;
            continue;
        }
        for (uint32_t i = 0; i < w->n_paths; i++) {
            sg_path *p = &w->paths[i];
            if (p->state != SG_PATH_BARRIER || p->barrier != id)
                continue;
            if (some_gone)
                note_gone(b, w->frames[p->frame].func, p->ip);
            if (p->ip->mode >= BAR_POPC)
                deliver(bar, p->ip, w->regs + w->frames[p->frame].base, p->mask);
            p->state = SG_PATH_READY;
            p->ip++;
            w->epoch = b->epoch;
            b->waiting_paths--;
        }
    }
    *bar = (sg_barrier){0};
    return true;
}

void sg_barrier_check(sg_block *b) {
    for (uint32_t id = 0; id < 16; id++)
        barrier_open(b, id);
}

/* The value of a uniform operand of a barrier, at place or, when that is < 0, given. */
static uint32_t operand(const sg_warp *w, int32_t place, uint32_t given) {
    return place < 0 ? given : ((const uint32_t *)(w->r + place))[__builtin_ctz(w->mask)];
}

const sg_op *sg_path_barrier(sg_warp *w, const sg_op *op) {
    sg_block *b = w->block;
    int lane = __builtin_ctz(w->mask);
    uint32_t id = operand(w, op->a, (uint32_t)op->e), count = operand(w, op->b, (uint32_t)op->f);
    if (id >= 16)
        sg_fault_raise(w, op, lane, SG_ERR_ILLEGAL_INSTRUCTION, "illegal barrier",
                       "barrier %u: a block has barriers 0 to 15", id);
    sg_barrier *bar = &b->barriers[id];
    if (bar->used && bar->expected != count)
        sg_fault_raise(w, op, lane, SG_ERR_ILLEGAL_INSTRUCTION, "illegal barrier",
                       "barrier %u is waited at with different thread counts (%u and %u)", id,
                       bar->expected, count);
    if (op->flags & SG_F_COUNT)
        w->count[op->line].barriers++;
    bar->used = true;
    bar->expected = count;
    /* With a count, the lanes a last, smaller warp lacks stand for themselves. */
    uint32_t here = w->full ? SG_LANES : (uint32_t)__builtin_popcount(w->mask);
    bar->arrived += count && w->mask == w->live ? SG_LANES : here;
    if (op->mode >= BAR_POPC) {
        uint32_t p =
            (*(const uint32_t *)(w->r + op->c) ^ -(uint32_t)(op->flags & SG_F_NEGATE)) & w->mask;
        bar->popc += (uint32_t)__builtin_popcount(p);
        bar->votes += here;
    }
    if (op->mode == BAR_ARRIVE) {
        barrier_open(b, id);
        return op + 1;
    }
    b->waiting_paths++;
    w->moved = true;
    if (!w->n_paths) { /* the warp is of one path: it stays loaded */
        w->parked = id + 1;
        w->ip = op;
        w->stop = SG_STOP_SWITCH;
        if (!barrier_open(b, id))
            return NULL;
        w->stop = SG_STOP_NONE;
        return w->ip;
    }
    sg_path_save(w, op, SG_PATH_BARRIER);
    w->paths[w->n_paths - 1].barrier = (uint8_t)id;
    barrier_open(b, id);
    return sg_path_next(w);
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
        if (w->parked) /* as a path like the others */
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
                len += (size_t)snprintf(text + len, sizeof text - len, "%s line %u", len ? "," : "",
                                        line);
            }
        }
    }
    first->frame = where->frame;
    first->func = first->frames[where->frame].func;
    first->mask = where->mask;
    sg_fault_raise(
        first, where->ip, __builtin_ctz(where->mask), SG_ERR_TIMEOUT, "deadlock",
        "%u of %u threads of the block wait at barriers or warp synchronisations (in%s) "
        "for threads that will not come; a __syncthreads() must be reached by all threads",
        waiting, b->live_threads, text);
}

#define WATCHDOG_S 10.0

static double patience(void) { /* of the watchdog, in seconds */
    const char *text = getenv("WARPBOOK_SOFTGPU_WATCHDOG");
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : WATCHDOG_S;
}

/* The watchdog. A fault at the first warp that runs: any of them will do. */
static void endless_wait(sg_block *b) {
    char why[300];
    snprintf(
        why, sizeof why,
        "every thread that runs has only been polling memory for %g seconds, and none has written: "
        "do they wait for a thread that cannot come, for a block that was not started, or for "
        "a lock nobody gives back?",
        patience());
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        if (w->mask && w->ip)
            sg_fault_raise(w, w->ip, __builtin_ctz(w->mask), SG_ERR_TIMEOUT, "deadlock", "%s", why);
    }
    sg_fault_run(b->run, SG_ERR_TIMEOUT, "deadlock", why);
}

/* The fault is where one of the block's warps is: what never ends is mostly a loop there. */
static void check_interrupt(sg_block *b) {
    static const char text[] = "the kernel was interrupted before it had ended";
    if (atomic_load_explicit(&sg_interrupts, memory_order_relaxed) == b->run->generation)
        return;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        sg_warp *w = &b->warps[k];
        if (w->mask && w->ip)
            sg_fault_raise(w, w->ip, __builtin_ctz(w->mask), SG_ERR_LAUNCH_FAILURE, "interrupted",
                           "%s", text);
    }
    sg_fault_run(b->run, SG_ERR_LAUNCH_FAILURE, "interrupted", text);
}

/* Looks at the clock: has the launch been stopped, do its threads only poll memory? */
static bool look_around(sg_block *b, double *began, bool spinning) {
    sg_run *run = b->run;
    double now = sg_now();
    uint64_t done = atomic_load_explicit(&run->done_blocks, memory_order_relaxed);
    check_interrupt(b);
    if (!*began)
        *began = now;
    if (!spinning || done != b->worker->seen_done)
        run->progress = now;
    b->worker->seen_done = done;
    if (b->print_len && now - *began > 0.05)
        sg_print_flush(b);
    if (spinning && now - run->progress > patience())
        endless_wait(b);
    return atomic_load_explicit(&run->stop, memory_order_relaxed) != 0;
}

bool sg_block_run(sg_block *b, bool short_turn) {
    double began = 0;
    b->gives_way = false;
    for (unsigned round = 1;; round++) {
        bool any = false, slice = false;
        b->polling = true;
        for (uint32_t k = 0; k < b->n_warps; k++) {
            sg_warp *w = &b->warps[k];
            if (!ready(w))
                continue;
            any = true;
            w->budget = SG_SLICE;
            w->spinning = w->moved = false;
            if (!w->mask)
                w->ip = sg_path_next(w);
            b->turn = w;
            sg_exec(w);
            w = b->turn; /* a warp that parks at a barrier hands its turn to the one behind it */
            k = w->index;
            if (w->stop == SG_STOP_SLICE) {
                slice = true;
                if (w->spinning && !sg_poll_patient(w))
                    sg_path_yield(w);
            }
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
        if (!slice && !b->gives_way && (round & 255))
            continue;
        if (look_around(b, &began, b->polling))
            return false;
        if (b->gives_way ||
            ((short_turn || b->run->alone || sg_now() - began > 0.02) && b->polling))
            return false;
    }
}
