/* ctl.c: handlers that move control or exchange data between lanes: branches, guards, calls,
 * barriers, votes, shuffles, reductions. paths.c decides about paths. PTX ISA, "Control Flow
 * Instructions", "Parallel Synchronization and Communication Instructions". */
#include <time.h>

#include "runtime/softgpu/exec/async.h"
#include "runtime/softgpu/exec/exec.h"
#include "runtime/softgpu/exec/mma.h"
#include "runtime/softgpu/watch/trace/waits.h"

/* ---- branches ----------------------------------------------------------------------------- */

#define COUNT(field) (w->count[ip->line].field++)

HANDLER(bra) {
    GOTO((const sg_op *)ip->aux, w->full);
}
HANDLER(bra_c) {
    COUNT(branches);
    GOTO((const sg_op *)ip->aux, w->full);
}
HANDLER(bra_back) {
    if (ip->flags & SG_F_COUNT)
        COUNT(branches);
    SPEND((const sg_op *)ip->aux);
    GOTO((const sg_op *)ip->aux, w->full);
}
/* Conditional branch. ip->a: the predicate; aux: the target; imm: the op where the paths meet, or
 * 0. */
#define BRANCH(name, spend, count)                                                                 \
    static __attribute__((noinline))                                                               \
    const sg_op *name##_split(const sg_op *ip, sg_warp *w, uint32_t p) {                           \
        if (count)                                                                                 \
            COUNT(divergent_branches);                                                             \
        return sg_path_diverge(w, (const sg_op *)ip->aux, p, ip + 1,                               \
                               (const sg_op *)(uintptr_t)ip->imm);                                 \
    }                                                                                              \
    TWICE(                                                                                         \
        name, const uint32_t mask = full ? SG_ALL : w->mask;                                       \
        uint32_t p = (PRED(ip->a) ^ -(uint32_t)(ip->flags & SG_F_NEGATE)) & mask;                  \
        if (count) COUNT(branches); if (p == mask) {                                               \
            if (spend)                                                                             \
                SPEND((const sg_op *)ip->aux);                                                     \
            GOTO((const sg_op *)ip->aux, full);                                                    \
        } if (!p) GOTO(ip + 1, full);                                                              \
        w->budget -= spend; RESUME(name##_split(ip, w, p));)
BRANCH(brc, 0, 0)
BRANCH(brc_back, 1, 0)
BRANCH(brc_c, 0, 1)
BRANCH(brc_back_c, 1, 1)

/* brx.idx. ip->a: the index; aux: the table of ip->e targets; imm: the op where the paths meet. */
static __attribute__((noinline)) const sg_op *indexed(const sg_op *ip, sg_warp *w, char *r) {
    const w32 *index = (const w32 *)(r + ip->a);
    const sg_op *const *table = ip->aux, *targets[SG_LANES] = {NULL};
    if (ip->flags & SG_F_COUNT)
        COUNT(branches);
    if (--w->budget <= 0) {
        w->ip = ip;
        w->budget = 1;
        w->stop = SG_STOP_SLICE;
        return NULL;
    }
    EACH_LANE {
        if (index[i] >= (uint32_t)ip->e)
            sg_fault_raise(w, ip, (int)i, SG_FAULT_ILLEGAL_BRANCH,
                           _("brx.idx with index %u of a table of %d"), index[i], ip->e);
        targets[i] = table[index[i]];
    }
    return sg_path_scatter(w, targets, (const sg_op *)(uintptr_t)ip->imm);
}
HANDLER(brx) {
    RESUME(indexed(ip, w, r));
}

/* A place where paths meet. Only acts if it is the innermost join of this path. */
HANDLER(sync) {
    if (__builtin_expect(w->rpc == ip, 0))
        RESUME(sg_path_arrive(w, ip));
    GOTO(ip + 1, w->full);
}

/* guard ... unguard around a predicated instruction. aux: the op behind the unguard. */
HANDLER(guard) {
    uint32_t p = (PRED(ip->a) ^ -(uint32_t)(ip->flags & SG_F_NEGATE)) & w->mask;
    w->saved = w->mask;
    if (p == w->mask)
        GOTO(ip + 1, w->full);
    if (!p)
        GOTO((const sg_op *)ip->aux, w->full);
    sg_set_mask(w, p);
    GOTO(ip + 1, 0);
}
HANDLER(unguard) {
    if (w->mask != w->saved)
        sg_set_mask(w, w->saved);
    GOTO(ip + 1, w->full);
}

/* ---- calls, exits, barriers --------------------------------------------------------------- */

HANDLER(exit_all) {
    RESUME(sg_path_exit(w, NULL, w->mask));
}
HANDLER(exit_if) {
    uint32_t p = (PRED(ip->a) ^ -(uint32_t)(ip->flags & SG_F_NEGATE)) & w->mask;
    if (!p)
        GOTO(ip + 1, w->full);
    RESUME(sg_path_exit(w, ip + 1, p));
}
HANDLER(call) {
    RESUME(sg_path_call(w, ip));
}
HANDLER(ret) {
    if (w->frames[w->frame].parent < 0)
        RESUME(sg_path_exit(w, NULL, w->mask));
    RESUME(sg_path_return(w));
}
SLOW_HANDLER(bar) {
    RESUME(sg_path_barrier(w, ip));
}
/* __syncthreads(). A warp of one path parks, except the last warp and unusual cases. */
HANDLER(bar_all) {
    sg_block *b = w->block;
    sg_barrier *here = &b->barriers[ip->e];
    uint32_t lanes = w->full ? SG_LANES : (uint32_t)__builtin_popcount(w->mask);
    if (w->n_paths || here->expected || here->arrived + lanes >= b->live_threads) {
        bar(ip, w, r);
        return;
    }
    if (ip->flags & SG_F_COUNT)
        COUNT(barriers);
    b->waited = here->used = true;
    here->arrived += lanes;
    b->waiting_paths++;
    w->parked = (uint32_t)ip->e + 1;
    w->ip = ip;
    w->stop = SG_STOP_SWITCH;
#ifndef SG_TRAMPOLINE
    /* Gives the next warp its turn, as sg_block_run() would. Most arrive one after another. */
    sg_warp *next = w + 1;
    if (w->index + 1 < b->n_warps && next->mask && !next->parked) {
        w->moved = true;
        sg_slice_ends(b, w);
        b->turn = next;
        next->budget = w->block->traced ? 1 : SG_SLICE;
        next->spinning = next->moved = false;
        next->stop = SG_STOP_NONE;
        next->ip->fn[next->full](next->ip, next, next->r);
    }
#endif
}
HANDLER(halt) { /* ends sg_exec() after one instruction run for several paths */
    (void)r;
    w->stop = SG_STOP_SWITCH;
    w->ip = ip;
}
HANDLER(builtin) { /* aux: a function of the engine, such as vprintf, malloc, __assertfail */
    void (*const *run)(sg_warp *, const sg_op *, char *) = ip->aux;
    (*run)(w, ip, r);
    GOTO(ip + 1, w->full);
}
HANDLER(piece) { /* the same at a piece of a line, where a debugger may end the warp's turn */
    void (*const *run)(sg_warp *, const sg_op *, char *) = ip->aux;
    (*run)(w, ip, r);
    w->ip = ip;
    if (!w->stop)
        GOTO(ip + 1, w->full);
}
HANDLER(moves) { /* before a store in kernels that poll */
    w->moved = true;
    GOTO(ip + 1, w->full);
}
HANDLER(mbarrier_wait) { /* aux: an sg_mbarrier; the warp stays here during the phase */
    if (sg_mbarrier_wait(w, ip, r))
        GOTO(ip + 1, w->full);
    w->ip = ip;
    w->stop = SG_STOP_SLICE;
}
HANDLER(in_turn) { /* before an access that other blocks may wait for */
    const sg_run *run = w->block->run;
    w->spinning = true;
    if (!run->may_go_on || run->may_go_on(w, ip, r)) {
        w->moved |= (ip->mode & SG_TURN_WRITES) != 0;
        GOTO(ip + 1, w->full);
    }
    w->ip = ip;
    w->stop = SG_STOP_TURN;
}
HANDLER(trap) {
    sg_fault_raise(w, ip, __builtin_ctz(w->mask), SG_FAULT_TRAP,
                   _("the kernel executed a trap instruction"));
    GOTO(ip, 0);
}
HANDLER(nop) {
    GOTO(ip + 1, w->full);
}
HANDLER(fence) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    GOTO(ip + 1, w->full);
}
HANDLER(yield) { /* nanosleep: gives the rest of the slice to others */
    w->spinning = true;
    w->budget -= 200;
    GOTO(ip + 1, w->full);
}
/* The start of a basic block. d: instructions; a, b, c: f32, f64 and other floating-point
 * operations; imm: accesses. */
HANDLER(tally) {
    sg_counters *c = &w->count[ip->line];
    uint64_t lanes = (uint64_t)__builtin_popcount(w->mask);
    w->issued += (uint64_t)ip->d;
    w->accesses += ip->imm;
    c->warp_instructions += (uint64_t)ip->d;
    c->lane_instructions += (uint64_t)ip->d * lanes;
    c->flops_f32 += (uint64_t)ip->a * lanes;
    c->flops_f64 += (uint64_t)ip->b * lanes;
    c->flops_other += (uint64_t)ip->c * lanes;
    GOTO(ip + 1, w->full);
}

/* ---- special values ----------------------------------------------------------------------- */

static inline uint64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
HANDLER(clock_32) {
    uint32_t now = (uint32_t)(nanoseconds() >> ip->mode);
    w32 *d = (w32 *)(r + ip->d);
    EACH_LANE d[i] = now;
    GOTO(ip + 1, w->full);
}
HANDLER(clock_64) {
    uint64_t now = nanoseconds();
    w64 *d = (w64 *)(r + ip->d);
    EACH_LANE d[i] = now;
    GOTO(ip + 1, w->full);
}
HANDLER(activemask) {
    w32 *d = (w32 *)(r + ip->d);
    EACH_LANE d[i] = w->mask;
    GOTO(ip + 1, w->full);
}
HANDLER(local_address) { /* imm: offset in the frame, plus the local window if generic */
    uint64_t x = ip->imm + w->local_base;
    if (ip->width == 8) {
        w64 *d = (w64 *)(r + ip->d);
        EACH_LANE d[i] = x;
    } else {
        w32 *d = (w32 *)(r + ip->d);
        EACH_LANE d[i] = (uint32_t)x;
    }
    GOTO(ip + 1, w->full);
}
HANDLER(param_address) { /* of a kernel parameter, in the launch's copy of the parameters */
    w64 *d = (w64 *)(r + ip->d);
    EACH_LANE d[i] = (uint64_t)(uintptr_t)w->params + ip->imm;
    GOTO(ip + 1, w->full);
}
/* isspacep: tests if the generic address is in the window ip->imm. 0: in none, so global. */
HANDLER(in_space) {
    const w64 *a = (const w64 *)(r + ip->a);
    uint32_t in = 0;
    EACH_LANE in |= (uint32_t)((a[i] & SG_WINDOW_MASK) == ip->imm) << i;
    sg_set_pred((w32 *)(r + ip->d), in, w->mask);
    GOTO(ip + 1, w->full);
}

/* ---- across lanes ------------------------------------------------------------------------- */

/* Returns the lanes that a .sync instruction names by its last operand, at ip->f. In a register
 * (SG_F_MASKS), lanes may differ, as in tiles of a warp. Then returns all that any lane names. */
static inline uint32_t named_lanes(const sg_op *ip, const sg_warp *w, const char *r) {
    const w32 *masks = (const w32 *)(r + ip->f);
    uint32_t members = masks[__builtin_ctz(w->mask)];
    if (ip->flags & SG_F_MASKS)
        EACH_LANE members |= masks[i];
    return members;
}
static inline bool masks_differ(const sg_op *ip, const sg_warp *w, const char *r) {
    const w32 *masks = (const w32 *)(r + ip->f);
    uint32_t first = masks[__builtin_ctz(w->mask)], differ = 0;
    if (ip->flags & SG_F_MASKS)
        EACH_LANE differ |= masks[i] ^ first;
    return differ;
}

/* Waits until all live lanes that are named have arrived. */
#define GATHER_LANES                                                                               \
    uint32_t members = named_lanes(ip, w, r);                                                      \
    if (__builtin_expect(members & w->live & ~w->mask, 0)) {                                       \
        const sg_op *next;                                                                         \
        if (!sg_path_sync(w, ip, members, &next))                                                  \
            RESUME(next);                                                                          \
    }                                                                                              \
    members &= w->mask
/* The same for instructions that compute a result of the members: each group runs separately. */
#define GATHER_GROUP                                                                               \
    GATHER_LANES;                                                                                  \
    if (__builtin_expect(masks_differ(ip, w, r), 0)) {                                             \
        sg_path_groups(w, ip, (const uint32_t *)(r + ip->f));                                      \
        GOTO(ip + 1, w->full);                                                                     \
    }

HANDLER(warp_sync) {
    GATHER_LANES;
    (void)members;
    GOTO(ip + 1, w->full);
}

/* shfl. mode: 0 up, 1 down, 2 bfly, 3 idx; b: the lane operand; c: the clamp and segment mask; e:
 * the predicate's place or -1. PTX ISA, "shfl.sync". */
static __attribute__((noinline)) void shuffle(const sg_op *ip, sg_warp *w, char *r) {
    const w32 *a = (const w32 *)(r + ip->a), *b = (const w32 *)(r + ip->b);
    const w32 *c = (const w32 *)(r + ip->c);
    w32 *d = (w32 *)(r + ip->d);
    uint32_t source[SG_LANES], in = 0;
    memcpy(source, a, sizeof source);
    EACH_LANE {
        int32_t lane = (int32_t)i, value = (int32_t)(b[i] & 31);
        int32_t clamp = (int32_t)(c[i] & 31), segment = (int32_t)(c[i] >> 8 & 31);
        int32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment, from;
        bool ok;
        switch (ip->mode) {
        case 0:
            from = lane - value;
            ok = from >= most;
            break;
        case 1:
            from = lane + value;
            ok = from <= most;
            break;
        case 2:
            from = lane ^ value;
            ok = from <= most;
            break;
        default:
            from = least | (value & ~segment);
            ok = from <= most;
        }
        if (!ok)
            from = lane;
        d[i] = source[from & 31];
        in |= (uint32_t)ok << i;
    }
    if (ip->e >= 0)
        sg_set_pred((w32 *)(r + ip->e), in, w->mask);
}
HANDLER(shfl) {
    GATHER_LANES;
    (void)members;
    shuffle(ip, w, r);
    GOTO(ip + 1, w->full);
}
/* vote. mode: 0 all, 1 any, 2 uni (to a predicate), 3 ballot (to a register). */
HANDLER(vote) {
    GATHER_GROUP
    uint32_t p = (PRED(ip->a) ^ -(uint32_t)(ip->flags & SG_F_NEGATE)) & members;
    if (ip->mode == 3) {
        w32 *d = (w32 *)(r + ip->d);
        EACH_LANE d[i] = p;
    } else {
        bool yes = ip->mode == 0 ? p == members : ip->mode == 1 ? p != 0 : !p || p == members;
        sg_set_pred((w32 *)(r + ip->d), yes ? SG_ALL : 0, w->mask);
    }
    GOTO(ip + 1, w->full);
}
/* match. mode: 0 any, 1 all; width: 4 or 8; e: the predicate of match.all, or -1. */
static __attribute__((noinline)) void match_lanes(const sg_op *ip, sg_warp *w, char *r,
                                                  uint32_t members) {
    w32 *d = (w32 *)(r + ip->d);
    uint64_t value[SG_LANES];
    uint32_t out[SG_LANES] = {0};
    for (int i = 0; i < SG_LANES; i++)
        value[i] = ip->width == 8 ? ((const w64 *)(r + ip->a))[i] : ((const w32 *)(r + ip->a))[i];
    for (uint32_t m = members; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        for (uint32_t n = members; n; n &= n - 1) {
            int k = __builtin_ctz(n);
            out[i] |= (uint32_t)(value[i] == value[k]) << k;
        }
    }
    bool all = out[__builtin_ctz(w->mask)] == members;
    EACH_LANE d[i] = ip->mode == 0 ? out[i] : all ? members : 0;
    if (ip->e >= 0)
        sg_set_pred((w32 *)(r + ip->e), all ? SG_ALL : 0, w->mask);
}
HANDLER(match) {
    GATHER_GROUP
    match_lanes(ip, w, r, members);
    GOTO(ip + 1, w->full);
}
/* redux. mode: 0 add, 1 and, 2 or, 3 xor, 4 min.s32, 5 max.s32, 6 min.u32, 7 max.u32, 8/9
 * min/max.f32 (10/11 with .abs); e: 1 for .NaN. */
static uint32_t reduce_two(uint32_t x, uint32_t y, int mode, bool nan) {
    float fx = sg_bits_f32(x), fy = sg_bits_f32(y);
    switch (mode) {
    case 0:
        return x + y;
    case 1:
        return x & y;
    case 2:
        return x | y;
    case 3:
        return x ^ y;
    case 4:
        return (int32_t)x < (int32_t)y ? x : y;
    case 5:
        return (int32_t)x > (int32_t)y ? x : y;
    case 6:
        return x < y ? x : y;
    case 7:
        return x > y ? x : y;
    default:
        if (fx != fx || fy != fy)
            return nan ? 0x7fffffffu : fx != fx ? y : x;
        return (mode & 1) == (fx > fy) ? x : y;
    }
}
HANDLER(redux) {
    GATHER_GROUP
    const w32 *a = (const w32 *)(r + ip->a);
    w32 *d = (w32 *)(r + ip->d);
    uint32_t total = 0;
    bool first = true;
    for (uint32_t m = members; m; m &= m - 1) {
        uint32_t x = a[__builtin_ctz(m)] & (ip->mode >= 10 ? 0x7fffffffu : SG_ALL);
        total = first ? x : reduce_two(total, x, ip->mode >= 10 ? ip->mode - 2 : ip->mode, ip->e);
        first = false;
    }
    EACH_LANE d[i] = total;
    GOTO(ip + 1, w->full);
}
HANDLER(elect) { /* the first of the members; d: the lane's number or -1; e: the predicate */
    GATHER_GROUP
    uint32_t leader = (uint32_t)__builtin_ctz(members ? members : w->mask);
    if (ip->d >= 0) {
        w32 *d = (w32 *)(r + ip->d);
        EACH_LANE d[i] = leader;
    }
    sg_set_pred((w32 *)(r + ip->e), 1u << leader, w->mask);
    GOTO(ip + 1, w->full);
}

HANDLER(mma) { /* aux: an sg_matrix */
    GATHER_LANES;
    (void)members;
    sg_mma(w, ip, r);
    GOTO(ip + 1, w->full);
}

const sg_entry SG_TABLE(ctl)[] = {
    BOTH(bra) BOTH(bra_c) BOTH(bra_back) PAIR(brc) PAIR(brc_back) PAIR(brc_c) PAIR(brc_back_c)
        BOTH(brx) BOTH(sync) BOTH(guard) BOTH(unguard) BOTH(exit_all) BOTH(exit_if) BOTH(call)
            BOTH(ret) BOTH(bar) BOTH(bar_all) BOTH(halt) BOTH(builtin) BOTH(piece) BOTH(moves)
                BOTH(mbarrier_wait) BOTH(in_turn) BOTH(trap) BOTH(nop) BOTH(fence) BOTH(yield)
                    BOTH(tally) BOTH(clock_32) BOTH(clock_64) BOTH(activemask) BOTH(local_address)
                        BOTH(param_address) BOTH(in_space) BOTH(warp_sync) BOTH(shfl) BOTH(vote)
                            BOTH(match) BOTH(redux) BOTH(elect) BOTH(mma){NULL, NULL, NULL}};
