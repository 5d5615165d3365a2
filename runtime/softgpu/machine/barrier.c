/* barrier.c: barriers of a block's threads. A barrier opens when the expected threads, or all live
 * threads, have arrived. So a thread that ends may open one too. */
#include "runtime/base/scoped.h"
#include "runtime/softgpu/machine/machine.h"

enum { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR };

/* Stores the result of a bar.red for the lanes of mask. */
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

/* Returns true if some threads may leave the kernel at instruction k while others stay. A `return`
 * is a branch to the kernel's end. */
static bool leaves(const ptx_function *f, uint32_t k) {
    const ptx_inst *inst = &f->insts[k];
    uint32_t to = k;
    if (!strcmp(inst->opcode, "bra") && inst->n_ops)
        to = inst->ops[0].target;
    return inst->guard && f->is_entry && (to >= f->n_insts || is_exit(&f->insts[to]));
}

/* Returns the line of the only place before instruction `barrier` where a thread may leave the
 * kernel. Returns 0 if there is none, or several. */
static uint32_t way_out(const ptx_function *f, uint32_t barrier) {
    uint32_t line = 0;
    for (uint32_t k = 0; k < barrier; k++) {
        const ptx_inst *inst = &f->insts[k];
        if (!leaves(f, k))
            continue;
        if (line && line != inst->loc.line)
            return 0;
        line = inst->loc.line;
    }
    return line;
}

bool sg_barrier_may_miss(sg_kernel *k) {
    bool left = false;
    if (!k->early) {
        k->early = 1;
        for (uint32_t i = 0; i < k->function->n_insts && k->early == 1; i++) {
            const ptx_inst *inst = &k->function->insts[i];
            bool waits = !strcmp(inst->opcode, "bar") || !strcmp(inst->opcode, "barrier");
            k->early = waits && left ? 2 : 1;
            left |= leaves(k->function, i);
        }
    }
    return k->early == 2;
}

/* Returns true if a checker is on (racecheck, memcheck). */
static bool checked(const sg_block *b) {
    return b->code == b->run->code && b->run->launch->options & (SG_RACECHECK | SG_INITCHECK);
}

/* Records that the barrier where path `ip` of `f` waits opens without threads that have ended. */
static void note_gone(const sg_block *b, const sg_func *f, const sg_op *ip) {
    sg_run *run = b->run;
    WB_LOCKED(&run->lock);
    sg_gone *gone = &run->launch->gone;
    if (!gone->threads || b->written) {
        uint32_t inst = f->insts[ip - f->ops];
        const ptx_module *ptx = f->code->kernel->module->ptx;
        const ptx_loc *loc = &f->source->insts[inst].loc;
        *gone = (sg_gone){.threads = b->threads - b->live_threads,
                          .of = b->threads,
                          .block = {b->pos[0], b->pos[1], b->pos[2]},
                          .file = loc->file < ptx->n_files ? ptx->files[loc->file] : NULL,
                          .barrier = loc->line,
                          .left = way_out(f->source, inst)};
    }
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
        snprintf(line, sizeof line, _("in line %u"), there->line);
    sg_warp *w = one->warp;
    w->frame = one->frame;
    w->func = w->frames[one->frame].func;
    w->mask = one->mask;
    sg_fault_raise(
        w, one->ip, __builtin_ctz(one->mask), SG_FAULT_DIVERGENT_BARRIER,
        _("this thread waits here while thread (%u, %u, %u)%s waits at another barrier, "
          "%s; all threads of a block must reach the same __syncthreads(), those that "
          "take another branch as well: put it behind the branches. A GPU may hang here, "
          "or go on too early"),
        t % x, t / x % y, t / x / y, w == other->warp ? _(" of the same warp") : "", line);
}

/* For a checker: finds lanes for which barrier `id` opens at different instructions. With a count
 * of threads, as warp specialisation uses it, compares only the lanes of each warp. */
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

/* Opens barrier `id` if all have arrived. The waiting paths of all warps continue. */
static bool barrier_open(sg_block *b, uint32_t id) {
    sg_barrier *bar = &b->barriers[id];
    uint32_t expected = bar->expected ? bar->expected : b->live_threads;
    if (!bar->used || bar->arrived < expected)
        return false;
    if (checked(b))
        check_together(b, id);
    if (b->run->opens && (b->traced || !b->run->trace))
        b->run->opens(b, id);
    b->epoch++;
    bool missed = !bar->expected && b->live_threads < b->threads;
    bool some_gone = missed && (!b->run->launch->gone.threads || (b->written && !b->missed));
    b->missed |= missed;
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

/* Opens barriers after threads have ended. */
static void check_all(sg_block *b) {
    for (uint32_t id = 0; id < 16; id++)
        barrier_open(b, id);
}

/* Returns a uniform operand of a barrier: the value at `place`, or `given` if place < 0. */
static uint32_t operand(const sg_warp *w, int32_t place, uint32_t given) {
    return place < 0 ? given : ((const uint32_t *)(w->r + place))[__builtin_ctz(w->mask)];
}

const sg_op *sg_path_barrier(sg_warp *w, const sg_op *op) {
    sg_block *b = w->block;
    int lane = __builtin_ctz(w->mask);
    uint32_t id = operand(w, op->a, (uint32_t)op->e), count = operand(w, op->b, (uint32_t)op->f);
    if (id >= 16)
        sg_fault_raise(w, op, lane, SG_FAULT_ILLEGAL_BARRIER,
                       _("barrier %u: a block has barriers 0 to 15"), id);
    sg_barrier *bar = &b->barriers[id];
    if (bar->used && bar->expected != count)
        sg_fault_raise(w, op, lane, SG_FAULT_ILLEGAL_BARRIER,
                       _("barrier %u is waited at with different thread counts (%u and %u)"), id,
                       bar->expected, count);
    if (op->flags & SG_F_COUNT)
        w->count[op->line].barriers++;
    b->waited = bar->used = true;
    bar->expected = count;
    /* With a count, a smaller last warp counts as a whole one. */
    uint32_t here = w->full ? SG_LANES : (uint32_t)__builtin_popcount(w->mask);
    bar->arrived += count && w->mask == w->live ? SG_LANES : here;
    if (op->mode >= BAR_POPC) {
        uint32_t p =
            (*(const uint32_t *)(w->r + op->c) ^ -(uint32_t)(op->flags & SG_F_NEGATE)) & w->mask;
        bar->popc += (uint32_t)__builtin_popcount(p);
        bar->votes += here;
    }
    if (op->mode == BAR_ARRIVE) {
        if (b->traced)
            b->run->arrives(w, id);
        barrier_open(b, id);
        return op + 1;
    }
    b->waiting_paths++;
    w->moved = true;
    if (!w->n_paths) { /* a warp of one path stays loaded */
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

const sg_op *sg_path_exit(sg_warp *w, const sg_op *next, uint32_t mask) {
    sg_block *b = w->block;
    w->moved = true;
    if (mask == w->live && w->join < 0 && !w->n_paths) { /* the usual end of a warp */
        b->live_threads -= w->full ? SG_LANES : (uint32_t)__builtin_popcount(mask);
        w->live = w->mask = 0;
        w->stop = SG_STOP_SWITCH;
        if (b->waiting_paths)
            check_all(b);
        return NULL;
    }
    b->live_threads -= (uint32_t)__builtin_popcount(mask);
    sg_path_end(w, mask);
    bool rest = w->mask;
    if (b->waiting_paths)
        check_all(b);
    return rest ? next : sg_path_next(w);
}
