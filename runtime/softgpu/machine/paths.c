/* paths.c: divergence of a warp. Lanes that run together form a path. When a path splits, it makes
 * a join at the immediate post-dominator. Lanes that reach it wait until all of the join's members
 * have arrived or exited, and then continue as one path. Joins nest: a path knows its innermost
 * one, and each join its parent. Unlike a reconvergence stack, this lets any ready path run at any
 * time. So a lane that waits for another lane of its warp (a spin lock) makes progress. When a path
 * that polls memory has used up its slice, the lanes at its joins are released early. */
#include "runtime/softgpu/machine/machine.h"

#define STACK_MAX (64u << 20) /* bytes of registers or local memory in one warp */

#define BITS4(k) 1 << (k), 1 << ((k) + 1), 1 << ((k) + 2), 1 << ((k) + 3)
const int32_t sg_lane_bit[SG_LANES]
    __attribute__((aligned(64))) = {BITS4(0),  BITS4(4), BITS4(8), BITS4(12), BITS4(16), BITS4(20),
                                    BITS4(24), 1 << 28,  1 << 29,  1 << 30,   INT32_MIN};

static void out_of_memory(sg_warp *w) {
    sg_fault_raise(w, w->ip, 0, SG_FAULT_MEMORY,
                   _("the machine has no memory left for the state of a warp"));
}

/* Updates w->rpc: the innermost join, if it belongs to the running frame. */
static void refresh_rpc(sg_warp *w) {
    w->rpc = w->join >= 0 && w->joins[w->join].frame == w->frame ? w->joins[w->join].rpc : NULL;
}

/* Returns an array of n items with room for one more. */
static void *with_room(sg_warp *w, void *items, int32_t n, int32_t *cap, size_t size) {
    if (n < *cap)
        return items;
    int32_t more = *cap ? 2 * *cap : 16;
    items = realloc(items, (size_t)more * size);
    if (!items)
        out_of_memory(w);
    *cap = more;
    return items;
}

static int32_t join_new(sg_warp *w, const sg_op *rpc) {
    int32_t at = w->free_join;
    if (at >= 0) {
        w->free_join = w->joins[at].parent;
    } else {
        w->joins = with_room(w, w->joins, w->n_joins, &w->cap_joins, sizeof *w->joins);
        at = w->n_joins++;
    }
    w->joins[at] = (sg_join){rpc, w->mask, 0, w->join, w->frame};
    return at;
}

static void join_free(sg_warp *w, int32_t at) {
    w->joins[at].parent = w->free_join;
    w->free_join = at;
}

static void frame_free(sg_warp *w, int32_t at) {
    w->frames[at].parent = w->free_frame;
    w->free_frame = at;
}

static void enter_frame(sg_warp *w, int32_t at) {
    sg_frame *f = &w->frames[at];
    w->frame = at;
    w->func = f->func;
    w->local_base = f->local_base;
    w->r = w->regs + f->base;
}

static sg_path *path_add(sg_warp *w, const sg_op *ip, uint32_t mask, int32_t join, int state) {
    sg_path *p = &w->paths[w->n_paths++];
    *p = (sg_path){ip, mask, join, w->frame, (uint8_t)state, 0, 0};
    return p;
}

void sg_path_save(sg_warp *w, const sg_op *ip, int state) {
    path_add(w, ip, w->mask, w->join, state);
    w->mask = 0;
}

static const sg_op *path_load(sg_warp *w, uint32_t at) {
    sg_path p = w->paths[at];
    memmove(&w->paths[at], &w->paths[at + 1], (w->n_paths - at - 1) * sizeof p);
    w->n_paths--;
    w->join = p.join;
    sg_set_mask(w, p.mask);
    enter_frame(w, p.frame);
    refresh_rpc(w);
    return p.ip;
}

static bool sync_release(sg_warp *w);

const sg_op *sg_path_next(sg_warp *w) {
    for (;;) {
        for (uint32_t k = 0; k < w->n_paths; k++) {
            uint32_t at = w->yielding ? k : w->n_paths - 1 - k;
            if (w->paths[at].state == SG_PATH_READY)
                return path_load(w, at);
        }
        if (!sync_release(w))
            break;
    }
    w->mask = 0;
    w->stop = SG_STOP_SWITCH;
    return NULL;
}

const sg_op *sg_path_diverge(sg_warp *w, const sg_op *taken, uint32_t taken_mask,
                             const sg_op *other, const sg_op *rpc) {
    uint32_t other_mask = w->mask & ~taken_mask;
    if (rpc && rpc != w->rpc) {
        w->join = join_new(w, rpc);
        w->rpc = rpc;
    }
    if (rpc && taken == rpc) {
        w->joins[w->join].arrived |= taken_mask;
        sg_set_mask(w, other_mask);
        return other;
    }
    if (rpc && other == rpc) {
        w->joins[w->join].arrived |= other_mask;
        sg_set_mask(w, taken_mask);
        return taken;
    }
    path_add(w, taken, taken_mask, w->join, SG_PATH_READY);
    sg_set_mask(w, other_mask);
    return other;
}

const sg_op *sg_path_scatter(sg_warp *w, const sg_op *const targets[SG_LANES], const sg_op *rpc) {
    uint32_t left = w->mask, groups = 0;
    const sg_op *first = targets[__builtin_ctz(left)];
    for (uint32_t m = left; m; m &= m - 1)
        groups += targets[__builtin_ctz(m)] != first;
    if (!groups)
        return first;
    if (rpc && rpc != w->rpc) {
        w->join = join_new(w, rpc);
        w->rpc = rpc;
    }
    while (left) {
        const sg_op *target = targets[__builtin_ctz(left)];
        uint32_t mask = 0;
        for (uint32_t m = left; m; m &= m - 1)
            mask |= (uint32_t)(targets[__builtin_ctz(m)] == target) << __builtin_ctz(m);
        left &= ~mask;
        path_add(w, target, mask, w->join, SG_PATH_READY);
    }
    w->mask = 0;
    return sg_path_next(w);
}

const sg_op *sg_path_arrive(sg_warp *w, const sg_op *at) {
    sg_join *j = &w->joins[w->join];
    j->arrived |= w->mask;
    if (j->arrived != j->members)
        return sg_path_next(w);
    int32_t done = w->join;
    sg_set_mask(w, j->members);
    w->join = j->parent;
    join_free(w, done);
    refresh_rpc(w);
    return w->rpc == at ? sg_path_arrive(w, at) : at + 1;
}

/* Removes the lanes of mask from joins, from `at` outward. The joins no longer wait for them. */
static void joins_without(sg_warp *w, int32_t at, uint32_t mask) {
    while (at >= 0) {
        sg_join *j = &w->joins[at];
        int32_t parent = j->parent;
        j->members &= ~mask;
        if (!j->members) {
            join_free(w, at);
        } else if (j->arrived == j->members) {
            int32_t frame = w->frame;
            w->frame = j->frame;
            path_add(w, j->rpc, j->members, parent, SG_PATH_READY);
            w->frame = frame;
            join_free(w, at);
        }
        at = parent;
    }
}

static void frames_without(sg_warp *w, int32_t at, uint32_t mask) {
    while (at >= 0) {
        int32_t parent = w->frames[at].parent;
        w->frames[at].lanes &= ~mask;
        if (!w->frames[at].lanes)
            frame_free(w, at);
        at = parent;
    }
}

void sg_path_end(sg_warp *w, uint32_t mask) {
    w->live &= ~mask;
    joins_without(w, w->join, mask);
    frames_without(w, w->frame, mask);
    sg_set_mask(w, w->mask & ~mask);
}

/* Releases the lanes that wait at this path's joins. They run before it. */
void sg_path_yield(sg_warp *w) {
    const sg_op *ip = w->ip;
    bool released = false;
    uint32_t mask = w->mask;
    int32_t join = w->join, frame = w->frame;
    for (int32_t at = join; at >= 0; at = w->joins[at].parent) {
        sg_join *j = &w->joins[at];
        if (!j->arrived)
            continue;
        w->frame = j->frame;
        path_add(w, j->rpc, j->arrived, j->parent, SG_PATH_READY);
        j->members &= ~j->arrived;
        j->arrived = 0;
        released = true;
    }
    w->frame = frame;
    for (uint32_t k = 0; k < w->n_paths; k++)
        released |= w->paths[k].state == SG_PATH_READY;
    if (!released)
        return;
    w->yielding = true;
    w->mask = mask;
    sg_path_save(w, ip, SG_PATH_READY);
    w->ip = sg_path_next(w);
}

/* ---- waiting for other lanes of the warp --------------------------------------------------- */

bool sg_path_sync(sg_warp *w, const sg_op *op, uint32_t members, const sg_op **next) {
    if (w->passing) {
        w->passing = false;
        return true;
    }
    sg_path *p = path_add(w, op, w->mask, w->join, SG_PATH_SYNC);
    p->members = members;
    w->mask = 0;
    *next = sg_path_next(w);
    return false;
}

void sg_exec(sg_warp *w) {
    w->stop = SG_STOP_NONE;
#ifdef SG_TRAMPOLINE
    while (!w->stop) {
        const sg_op *ip = w->ip;
        ip->fn[w->full](ip, w, w->r);
    }
#else
    w->ip->fn[w->full](w->ip, w, w->r);
#endif
}

/* Runs one instruction for several paths at once, without joining them. */
static void run_together(sg_warp *w, const sg_op *op, uint32_t mask, int32_t frame) {
    const sg_func *entry = w->block->code->entry;
    sg_op pair[2] = {*op, entry->ops[entry->first - 1]};
    w->sync_op = op;
    sg_set_mask(w, mask);
    enter_frame(w, frame);
    w->ip = pair;
    sg_exec(w);
    w->sync_op = NULL;
    w->mask = 0;
    w->stop = SG_STOP_NONE;
}

void sg_path_groups(sg_warp *w, const sg_op *op, const uint32_t *masks) {
    uint32_t all = w->mask;
    int32_t frame = w->frame;
    const sg_op *sync_op = w->sync_op;
    for (uint32_t left = all; left;) {
        uint32_t members = masks[__builtin_ctz(left)], group = 0;
        for (uint32_t m = left; m; m &= m - 1)
            group |= (uint32_t)(masks[__builtin_ctz(m)] == members) << __builtin_ctz(m);
        left &= ~group;
        w->passing = true; /* sets overlap: the others have been here, or will be */
        run_together(w, sync_op ? sync_op : op, group, frame);
        w->passing = false;
    }
    w->sync_op = sync_op;
    sg_set_mask(w, all);
}

/* Releases waiting lanes if no path of the warp is ready and they complete each other's sets. */
static bool sync_release(sg_warp *w) {
    for (uint32_t k = 0; k < w->n_paths; k++) {
        sg_path p = w->paths[k];
        if (p.state != SG_PATH_SYNC)
            continue;
        uint32_t need = p.members & w->live, have = 0;
        bool same = true, joined = true;
        for (uint32_t i = 0; i < w->n_paths; i++) {
            sg_path *q = &w->paths[i];
            if (q->state != SG_PATH_SYNC || !(q->mask & need & ~have))
                continue;
            have |= q->mask;
            if (q->members & w->live & ~need) { /* lanes that these lanes name in turn */
                need |= q->members & w->live;
                i = UINT32_MAX; /* start again at 0 */
            }
            same &= q->ip == p.ip && q->frame == p.frame;
            joined &= q->join == p.join;
        }
        if (need & ~have)
            continue;
        if (!same && !(p.ip->flags & SG_F_WARP_SYNC)) {
            enter_frame(w, p.frame);
            sg_set_mask(w, p.mask);
            sg_fault_raise(
                w, p.ip, __builtin_ctz(p.mask), SG_FAULT_DIVERGENT_WARP,
                _("lanes named in the member mask of a .sync instruction wait at different "
                  "instructions; make all of them reach the same one"));
        }
        if (same && !joined)
            run_together(w, p.ip, have, p.frame);
        for (uint32_t i = 0, merged = 0; i < w->n_paths;) {
            sg_path *q = &w->paths[i];
            if (q->state != SG_PATH_SYNC || !(q->mask & have)) {
                i++;
                continue;
            }
            q->state = SG_PATH_READY;
            if (!same || !joined) {
                q->ip++;
                i++;
            } else if (!merged++) {
                q->mask = have;
                i++;
            } else {
                memmove(q, q + 1, (w->n_paths - i - 1) * sizeof *q);
                w->n_paths--;
            }
        }
        return true;
    }
    return false;
}

/* ---- calls --------------------------------------------------------------------------------- */

static void reserve(sg_warp *w, char **data, uint32_t *cap, uint64_t bytes, const char *what) {
    if (bytes <= *cap)
        return;
    if (bytes > STACK_MAX)
        sg_fault_raise(
            w, w->ip, w->mask ? __builtin_ctz(w->mask) : 0, SG_FAULT_STACK_OVERFLOW,
            _("calls nest too deeply: a warp's %s would need more than %u MiB; is there a "
              "recursion that does not end?"),
            what, STACK_MAX >> 20);
    uint64_t want = 2 * (uint64_t)*cap > bytes ? 2 * (uint64_t)*cap : bytes;
    char *more = aligned_alloc(64, (want + 63) & ~63ull);
    if (!more)
        out_of_memory(w);
    if (*data)
        memcpy(more, *data, *cap);
    memset(more + *cap, 0, ((want + 63) & ~63ull) - *cap);
    free(*data);
    *data = more;
    *cap = (uint32_t)((want + 63) & ~63ull);
}

void sg_warp_reserve(sg_warp *w, uint64_t regs, uint64_t local_bytes) {
    reserve(w, &w->regs, &w->regs_cap, regs, "registers");
    if (local_bytes > w->local_bytes) {
        reserve(w, &w->local, &w->local_cap, local_bytes * SG_LANES, "local memory");
        w->local_bytes = (uint32_t)local_bytes;
    }
}

void sg_frame_fill(sg_warp *w, const sg_func *f, char *r, uint32_t mask) {
    for (uint32_t k = 0; k < f->n_consts; k++) {
        const sg_const *c = &f->consts[k];
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            if (c->bytes == 8)
                memcpy(r + c->place + 8 * i, &c->value, 8);
            else
                memcpy(r + c->place + 4 * i, &c->value, 4);
        }
    }
    for (uint32_t k = 0; k < f->n_specials; k++) {
        const sg_special *s = &f->specials[k];
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            int64_t value = sg_special_value(w, s->kind, i);
            memcpy(r + s->place + s->bytes * (uint32_t)i, &value, s->bytes);
        }
    }
}

static int32_t frame_new(sg_warp *w) {
    int32_t at = w->free_frame;
    if (at >= 0) {
        w->free_frame = w->frames[at].parent;
        return at;
    }
    w->frames = with_room(w, w->frames, w->n_frames, &w->cap_frames, sizeof *w->frames);
    return w->n_frames++;
}

/* Copies a parameter's words for the active lanes between places of local memory. */
static void copy_words(sg_warp *w, uint32_t to, uint32_t from, uint32_t bytes) {
    for (uint32_t k = 0; k < (bytes + 3) / 4; k++) {
        uint32_t *d = (uint32_t *)(w->local + (to / 4 + k) * 128);
        const uint32_t *s = (const uint32_t *)(w->local + (from / 4 + k) * 128);
        for (uint32_t m = w->mask; m; m &= m - 1)
            d[__builtin_ctz(m)] = s[__builtin_ctz(m)];
    }
}

/* Moves an argument or result between a register at r and local memory. */
static void copy_register(sg_warp *w, char *r, const struct sg_call_arg *arg, uint32_t local,
                          bool to_local) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint32_t *low = (uint32_t *)(w->local + local / 4 * 128) + i, *high = low + SG_LANES;
        uint32_t *reg = (uint32_t *)(r + arg->place) + (arg->bytes == 8 ? 2 * i : i);
        uint32_t *a = to_local ? low : reg, *b = to_local ? reg : low;
        *a = *b;
        if (arg->bytes == 8)
            *(to_local ? high : reg + 1) = *(to_local ? reg + 1 : high);
    }
}

static const sg_func *callee_of(sg_warp *w, const sg_op *op, uint64_t address, int lane) {
    const sg_code *code = w->func->code;
    const sg_module *module = code->kernel->module;
    uint64_t index = address - module->functions;
    const sg_func *f = index < module->ptx->n_functions ? code->funcs[index] : NULL;
    if (!f && (address & SG_WINDOW_MASK) == SG_FUNCTION_WINDOW)
        sg_fault_raise(
            w, op, lane, SG_FAULT_ILLEGAL_CALL,
            _("a call through a pointer to a function of other device code than the "
              "kernel's: device code is linked cell by cell; take the function's address "
              "in the cell that has the kernel"));
    if (!f)
        sg_fault_raise(
            w, op, lane, SG_FAULT_ILLEGAL_CALL,
            _("a call through a function pointer to 0x%llx, which is no function of this "
              "module"),
            (unsigned long long)address);
    if (f->refused)
        sg_fault_raise(w, op, lane, SG_FAULT_UNSUPPORTED, "%s", f->refused);
    return f;
}

/* Returns where the registers of a call's frame begin: behind the caller's, and outside the frames
 * of other paths. Frames of the same function may overlap, because each lane has its own places.
 * Local memory is separate for each lane anyway. */
static uint32_t frame_base(const sg_warp *w, const sg_func *f) {
    uint32_t base = w->frames[w->frame].base + w->func->frame_bytes;
    for (int32_t k = 0; w->n_paths && k < w->n_frames; k++) {
        const sg_frame *other = &w->frames[k];
        uint32_t end = other->base + other->func->frame_bytes;
        if (!other->lanes || end <= base || other->base >= base + f->frame_bytes ||
            (other->func == f && other->base == base))
            continue;
        base = end;
        k = -1; /* earlier frames may be in the way now */
    }
    return base;
}

const sg_op *sg_path_call(sg_warp *w, const sg_op *op) {
    const sg_call *call = op->aux;
    const sg_func *f = call->callee;
    w->ip = op;
    if (!f) {
        const uint64_t *target = (const uint64_t *)(w->r + op->a);
        int first = __builtin_ctz(w->mask);
        uint32_t same = 0;
        for (uint32_t m = w->mask; m; m &= m - 1)
            same |= (uint32_t)(target[__builtin_ctz(m)] == target[first]) << __builtin_ctz(m);
        f = callee_of(w, op, target[first], first);
        /* different callees: some lanes make this call, the others return to it */
        if (same != w->mask) {
            uint32_t rest = w->mask & ~same;
            if (w->rpc != op + 1)
                w->join = join_new(w, op + 1);
            refresh_rpc(w);
            path_add(w, op, rest, w->join, SG_PATH_READY);
            sg_set_mask(w, same);
        }
    }
    if (call->n_args > f->source->n_params || call->n_rets > f->source->n_returns)
        sg_fault_raise(w, op, __builtin_ctz(w->mask), SG_FAULT_CALL_PARAMETERS,
                       _("the call passes %u parameters to a function that takes %u"), call->n_args,
                       f->source->n_params);
    uint32_t caller_base = w->frames[w->frame].base, caller_local = w->local_base;
    uint32_t base = frame_base(w, f);
    uint32_t local = caller_local + w->func->local_bytes;
    sg_warp_reserve(w, base + (uint64_t)f->frame_bytes, local + (uint64_t)f->local_bytes);
    for (uint32_t k = 0; k < call->n_args; k++) {
        const struct sg_call_arg *arg = &call->args[k];
        uint32_t to = local + f->param_places[k];
        if (arg->is_reg)
            copy_register(w, w->regs + caller_base, arg, to, true);
        else
            copy_words(w, to, caller_local + (uint32_t)arg->place, arg->bytes);
    }
    int32_t at = frame_new(w);
    w->frames[at] = (sg_frame){f, op + 1, call, w->frame, base, local, w->mask};
    enter_frame(w, at);
    refresh_rpc(w);
    sg_frame_fill(w, f, w->r, w->mask);
    if (--w->budget <= 0) {
        w->ip = f->ops;
        w->stop = SG_STOP_SLICE;
        return NULL;
    }
    return f->ops;
}

const sg_op *sg_path_return(sg_warp *w) {
    sg_frame f = w->frames[w->frame];
    const sg_frame *caller = &w->frames[f.parent];
    for (uint32_t k = 0; k < f.call->n_rets; k++) {
        const struct sg_call_arg *ret = &f.call->rets[k];
        uint32_t from = f.local_base + f.func->return_places[k];
        if (ret->is_reg)
            copy_register(w, w->regs + caller->base, ret, from, false);
        else
            copy_words(w, caller->local_base + (uint32_t)ret->place, from, ret->bytes);
    }
    w->frames[w->frame].lanes &= ~w->mask;
    if (!w->frames[w->frame].lanes)
        frame_free(w, w->frame);
    enter_frame(w, f.parent);
    refresh_rpc(w);
    return f.back;
}

void sg_path_start(sg_warp *w, uint32_t lanes) {
    w->n_paths = w->parked = 0;
    w->n_joins = w->n_frames = 0;
    w->free_join = w->free_frame = -1;
    w->join = -1;
    w->yielding = w->spinning = w->moved = w->passing = false;
    w->live = lanes;
    w->saved = lanes;
    sg_set_mask(w, lanes);
    const sg_func *entry = w->block->code->entry;
    int32_t at = frame_new(w);
    w->frames[at] = (sg_frame){entry, NULL, NULL, -1, 0, 0, lanes};
    enter_frame(w, at);
    refresh_rpc(w);
    w->ip = entry->ops + entry->first;
}
