/* trace.c: a traced launch. The clock of a warp moves from segment to segment (instructions without
 * a branch): in one, an instruction begins when what it reads is ready, whatever stands before it,
 * as ptxas orders them so; the next segment begins when the last of them has begun, and no sooner
 * than one instruction a clock allows. Barriers join the clocks of a block's warps.
 *
 * Chains and L1 are looked at in some blocks only: a block has its share of L1 for itself. Where
 * the blocks of a grid do the same, each in another place, these are a sample from which all else
 * follows (sample.h), and the other blocks are not traced. Where they do not, those looked at are
 * spread evenly over the grid, and L2 is asked by all blocks, for one in 2^k of its lines, chosen
 * by a hash (set sampling; k rises with the memory in use): blocks run one after another here, on a
 * GPU those of a wave together, so what they share is kept a little too well, or a little too
 * badly. */
#include "runtime/softgpu/watch/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/watch/contention.h"
#include "runtime/softgpu/watch/counters.h"
#include "runtime/softgpu/watch/sample.h"
#include "runtime/softgpu/watch/shares.h"
#include "runtime/softgpu/watch/traffic.h"

#define TRACED_BLOCKS 32
#define SCHEDULERS 4          /* of a multiprocessor's, that share a block's warps */
#define BARRIER_WARP_CLOCKS 2 /* that a barrier takes for each warp: measured on an H200 */
#define GROUPS 8              /* of copies under way */

typedef struct repeated { /* a segment, by its op: how often warps that were looked at ran it */
    float slots;
    uint32_t times;
} repeated;

struct sg_trace {
    const sg_launch *launch;
    const sg_gpu *gpu;
    uint64_t n_blocks, traced; /* blocks of the grid; those looked at, but for the sample's */
    sg_traffic *traffic;
    sg_traits sum;         /* of all blocks: instructions; of those that were looked at: chains */
    double shared_counted; /* passes, of those blocks, with each request by itself */
    double started, chains;
    sg_sample *sample;  /* or NULL */
    sg_shares *shares;  /* or NULL: not asked for */
    sg_traits before;   /* the sum when the block of the sample began */
    const char *why;    /* the other blocks do not follow from the sample */
    bool depends;       /* the kernel does what it reads */
    _Atomic bool quiet; /* they do, and are not traced */
    repeated *repeated;
    uint32_t n_ops, n_warps; /* n_warps: of blocks that were looked at */
    uint32_t arrived[16];    /* clocks of those that came to a barrier and went on */
};

/* Why something is not ready sooner: a step of this turn, or of an earlier one. */
typedef struct cause {
    enum sg_wait wait;
    uint32_t place, step, turn; /* turn 0: no step of any */
} cause;

typedef struct awaited { /* a register: the clock from which it may be read */
    uint32_t clock;
    cause by;
} awaited;

typedef struct begun { /* a step of the pending segment */
    uint32_t clock;
    cause by;
} begun;

struct sg_trace_warp {
    const sg_segment *pending; /* executed, its clocks not known yet */
    uint32_t op;               /* of it */
    const sg_func *func;
    uint32_t clock;
    uint32_t stored[2]; /* when the last store began: to memory, to shared memory */
    uint32_t copied;    /* when all copies of this group are there */
    uint32_t groups[GROUPS], n_groups;
    awaited *ready;          /* by register */
    uint32_t room;           /* of ready */
    sg_taken *noted;         /* by step of the pending segment: what memory took */
    begun *begun;            /* likewise */
    uint32_t slots;          /* of both */
    uint32_t turn, place;    /* segments so far; of the last one's last instruction */
    uint32_t port, crowd;    /* when memory's way is free; warps of the block that share all ways */
    const sg_segment *again; /* a short loop that repeats */
    uint32_t turns, last;    /* of it; the clock at which the last instruction of these began */
    bool close;              /* its block is traced */
};

/* ---- a launch -------------------------------------------------------------------------------- */

static uint32_t total_ops(const sg_code *code) {
    const sg_module *m = code->kernel->module;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->ptx->n_functions; k++)
        if (code->funcs[k] && code->funcs[k]->ordinal + code->funcs[k]->n_ops > n)
            n = code->funcs[k]->ordinal + code->funcs[k]->n_ops;
    return n;
}

sg_trace *sg_trace_new(const sg_launch *launch, uint64_t n_blocks, const sg_code *code) {
    sg_trace *t = calloc(1, sizeof *t);
    uint32_t n_ops = total_ops(code);
    if (!t)
        return NULL;
    t->launch = launch;
    t->gpu = launch->gpu;
    t->n_blocks = n_blocks;
    t->started = wb_now();
    t->traffic = sg_traffic_new(t->gpu, n_ops);
    t->n_ops = n_ops;
    t->repeated = calloc(n_ops + 1, sizeof *t->repeated);
    if (launch->options & SG_SHARES)
        t->shares = sg_shares_new(code, n_ops);
    t->depends = code->depends;
    if (t->depends)
        t->why = "what its blocks do depends on what they read";
    else if (!code->waits && !launch->cooperative)
        t->sample = sg_sample_new(launch, n_ops);
    if (t->traffic && t->repeated)
        return t;
    sg_trace_free(t);
    return NULL;
}

void sg_trace_free(sg_trace *t) {
    if (!t)
        return;
    sg_sample_free(t->sample);
    sg_shares_free(t->shares);
    sg_traffic_free(t->traffic);
    free(t->repeated);
    free(t);
}

uint64_t sg_trace_place(const sg_trace *t, uint64_t k) {
    return t->sample ? sg_sample_block(t->sample, k) : k;
}

/* Would all blocks together take longer than anybody waits? */
static bool takes_long(const sg_trace *t, uint64_t done) {
    double elapsed = wb_now() - t->started;
    return elapsed > 1 && elapsed * (double)t->n_blocks > t->launch->patience * (double)done;
}

bool sg_trace_leaves_rest(const sg_trace *t) {
    unsigned all_watched = SG_COUNT | SG_LINES | SG_RACECHECK | SG_INITCHECK;
    return t->quiet && !(t->launch->options & (SG_SAMPLE | all_watched));
}

bool sg_trace_enough(sg_trace *t, uint64_t done) {
    static _Atomic bool partly; /* a launch has written only a part of what it would have */
    if (sg_trace_leaves_rest(t))
        return true;
    if (!(t->launch->options & SG_SAMPLE) || (t->sample && !sg_sample_done(t->sample)))
        return false;
    if (t->quiet) {
        partly = true;
        return true;
    }
    if (t->depends && partly) {
        t->sum.unknown =
            "what its blocks do depends on what they read, of which a launch before may "
            "have written only a part: `warpbook run --model` runs all of both";
        return true;
    }
    if (!takes_long(t, done))
        return false;
    t->sum.unknown = t->why ? t->why : "its blocks take long, and are too few for a sample";
    return true;
}

bool sg_trace_quiet(const sg_trace *t) {
    return t->quiet;
}

/* Of blocks that were looked at to all of them. */
static void scale(sg_traits *traits, double times) {
    traits->l1_clocks *= times;
    traits->l2_reads *= times;
    traits->l2_writes *= times;
    traits->l2_partial_writes *= times;
    traits->l2_atomics *= times;
}

/* How often a warp comes by, in the mean of all instructions that it executes. */
static double repeats(const sg_trace *t) {
    double all = 0, squares = 0;
    for (uint32_t k = 0; k < t->n_ops; k++) {
        double times = (double)t->repeated[k].times, slots = (double)t->repeated[k].slots;
        all += slots * times;
        squares += slots * times * times;
    }
    return all > 0 && t->n_warps ? squares / all / t->n_warps : 0;
}

void sg_trace_report(sg_trace *t, uint64_t instructions, sg_traits *traits) {
    *traits = t->sum;
    if (t->quiet) {
        sg_sample_report(t->sample, instructions, traits);
    } else {
        sg_traffic_report(t->traffic, traits);
        scale(traits, t->traced ? (double)t->n_blocks / (double)t->traced : 0);
        traits->chain = t->traced ? t->chains / (double)t->traced : 0;
        traits->traced = t->traced;
    }
    traits->blocks = t->n_blocks;
    traits->repeats = repeats(t);
    traits->shared_together =
        t->shared_counted > 0 ? t->sum.shared_wavefronts / t->shared_counted : 1;
}

uint32_t sg_trace_shares(const sg_trace *t, const sg_traits *traits, sg_line_traits **out) {
    *out = NULL;
    if (!t->shares || traits->unknown || !traits->traced)
        return 0;
    return sg_shares_report(t->shares, traits, sg_traffic_seen(t->traffic), out);
}

/* ---- a segment ------------------------------------------------------------------------------- */

static uint32_t latest(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t took(const sg_trace *t, const sg_trace_warp *w, uint32_t index) {
    const sg_step *step = &w->pending->steps[index];
    uint32_t noted = w->noted[index].took;
    return noted ? noted : t->gpu->latency[step->latency] + step->more * t->gpu->latency[step->of];
}

/* The clock at which memory's way is free, which the other warps of the block need as well: they
 * are taken to be in step with this one. Who waits for a value does not keep it from others. */
static uint32_t enter(sg_trace_warp *w, uint32_t start, uint32_t step) {
    uint32_t busy = w->noted[step].busy * w->crowd;
    if (!busy)
        return start;
    start = latest(start, w->port);
    w->port = latest(w->port, w->clock) + busy;
    return start;
}

static enum sg_wait wait_for(const sg_step *step) {
    switch ((enum sg_latency)step->latency) {
    case SG_LATENCY_SHARED:
    case SG_LATENCY_SHARED_ATOMIC:
        return SG_WAIT_SHARED;
    case SG_LATENCY_L1:
    case SG_LATENCY_L2:
    case SG_LATENCY_DRAM:
        return SG_WAIT_LOAD;
    case SG_LATENCY_ATOMIC:
        return SG_WAIT_ATOMIC;
    default:
        return step->kind == SG_STEP_SLEEP  ? SG_WAIT_SLEEP
               : step->kind == SG_STEP_WAIT ? SG_WAIT_LOAD
                                            : SG_WAIT_ARITHMETIC;
    }
}

/* The clock at which a step begins, and what it makes others wait for. *by: what it waited for
 * itself, where that is a register. */
static uint32_t begin(const sg_trace *t, sg_trace_warp *w, uint32_t index, cause *by) {
    const sg_segment *s = w->pending;
    const sg_step *step = &s->steps[index];
    const uint32_t *written = s->registers + step->first, *read = written + step->n_written;
    bool shared = step->latency == SG_LATENCY_SHARED || step->latency == SG_LATENCY_SHARED_ATOMIC;
    uint32_t start = w->clock;
    *by = (cause){.turn = 0};
    for (uint32_t k = 0; k < step->n_read; k++)
        if (w->ready[read[k]].clock > start) {
            start = w->ready[read[k]].clock;
            *by = w->ready[read[k]].by;
        }
    switch ((enum sg_step_kind)step->kind) {
    case SG_STEP_LOAD:
        start = latest(start, w->stored[shared]);
        break;
    case SG_STEP_STORE:
        start = enter(w, start, index);
        w->stored[shared] = latest(w->stored[shared], start);
        return start;
    case SG_STEP_COPY:
        w->copied = latest(w->copied, enter(w, start, index) + took(t, w, index));
        return start;
    case SG_STEP_COMMIT:
        memmove(w->groups + 1, w->groups, (GROUPS - 1) * sizeof *w->groups);
        w->groups[0] = w->copied;
        w->n_groups += w->n_groups < GROUPS;
        return start;
    case SG_STEP_WAIT:
        if (step->pending < w->n_groups)
            start = latest(start, w->groups[step->pending]);
        return start;
    case SG_STEP_SLEEP:
        w->clock = start + w->noted[index].took;
        return start;
    case SG_STEP_PLAIN:
        break;
    }
    awaited end = {enter(w, start, index) + took(t, w, index),
                   {wait_for(step), step->place, index, w->turn}};
    for (uint32_t k = 0; k < step->n_written; k++)
        w->ready[written[k]] = end;
    return start;
}

/* From `before` to the clock at which the step began the warp did nothing but wait: for what the
 * step reads, for what that was made from, and so on. */
static void charge(const sg_trace *t, const sg_trace_warp *w, uint32_t index, uint32_t before) {
    const sg_segment *s = w->pending;
    uint32_t to = w->begun[index].clock;
    while (to > before) {
        cause by = w->begun[index].by;
        uint32_t from = before;
        if (!by.turn) /* its own doing: memory's way is taken, it waits for copies, sleeps */
            by = (cause){.wait = wait_for(&s->steps[index]), .place = s->steps[index].place};
        if (by.turn == w->turn)
            from = latest(before, w->begun[index = by.step].clock);
        sg_shares_wait(t->shares, by.place, by.wait, to - from);
        to = from;
    }
}

/* When all that it has executed has begun. */
static uint32_t now(const sg_trace_warp *w) {
    return latest(w->clock, w->last);
}

/* Moves the clock over the segment that has been executed. */
static void finish(const sg_trace *t, sg_trace_warp *w) {
    const sg_segment *s = w->pending;
    if (!s)
        return;
    uint32_t before = now(w), latest_step = 0;
    w->turn++;
    if (s != w->again)
        w->turns = 0;
    if (!s->goes_on && w->turns++ % s->unrolled == 0)
        w->clock = latest(w->clock, w->last);
    w->again = s;
    w->last = latest(w->last, w->clock);
    for (uint32_t k = 0; k < s->n_steps; k++) {
        w->begun[k].clock = begin(t, w, k, &w->begun[k].by);
        latest_step = w->begun[k].clock > w->last ? k : latest_step;
        w->last = latest(w->last, w->begun[k].clock);
    }
    w->clock += (uint32_t)(s->slots * fmaxf(1, (float)w->crowd / SCHEDULERS) + 0.5f);
    if (t->shares && w->last > before)
        charge(t, w, latest_step, before);
    if (t->shares && w->clock > latest(w->last, before))
        sg_shares_turn(t->shares, w->op, w->clock - latest(w->last, before));
    w->place = s->steps[s->n_steps - 1].place;
    w->pending = NULL;
}

/* Room for a segment's steps and a function's registers; those of another function may be read at
 * once. */
static bool reserve(sg_trace_warp *w, const sg_func *func, uint32_t steps) {
    uint32_t registers = func->source->n_regs + 1;
    if (registers > w->room) {
        awaited *more = realloc(w->ready, registers * sizeof *more);
        if (!more)
            return false;
        w->ready = more;
        w->room = registers;
    }
    if (steps > w->slots) {
        sg_taken *more = realloc(w->noted, steps * sizeof *more);
        w->noted = more ? more : w->noted;
        begun *others = more ? realloc(w->begun, steps * sizeof *others) : NULL;
        if (!others)
            return false;
        w->begun = others;
        w->slots = steps;
    }
    if (w->func != func)
        memset(w->ready, 0, registers * sizeof *w->ready);
    w->func = func;
    return true;
}

void sg_trace_segment(sg_warp *w, const sg_op *ip, char *r) {
    sg_trace *t = w->block->run->trace;
    sg_trace_warp *mine = w->trace;
    const sg_segment *s = ip->aux;
    (void)r;
    if (t->quiet)
        return;
    if (s->unknown)
        t->sum.unknown = s->unknown;
    t->sum.issued += (double)s->slots;
    for (int k = 0; k < SG_PIPES; k++)
        t->sum.pipes[k] += (double)s->pipes[k];
    if (!mine || !mine->close)
        return;
    uint32_t op = w->func->ordinal + (uint32_t)(ip - w->func->ops);
    repeated *seen = &t->repeated[op];
    seen->slots = s->slots;
    seen->times++;
    if (t->shares)
        sg_shares_segment(t->shares, op, s);
    finish(t, mine);
    if (!reserve(mine, w->func, s->n_steps))
        return;
    memset(mine->noted, 0, s->n_steps * sizeof *mine->noted);
    mine->pending = s;
    mine->op = op;
}

/* The step of the pending segment that ip belongs to, or NULL. */
static const sg_step *step_of(const sg_warp *w, const sg_op *ip) {
    const sg_trace_warp *mine = w->trace;
    const sg_segment *s = mine ? mine->pending : NULL;
    if (!s || mine->func != w->func)
        return NULL;
    uint32_t inst = w->func->insts[ip - w->func->ops];
    return inst >= s->first && inst - s->first < s->n_steps ? &s->steps[inst - s->first] : NULL;
}

/* That step took so many clocks. */
static void note(sg_warp *w, const sg_op *ip, sg_taken taken) {
    const sg_step *step = step_of(w, ip);
    if (!step)
        return;
    sg_taken *noted = &w->trace->noted[step - w->trace->pending->steps];
    *noted = (sg_taken){latest(noted->took, taken.took), noted->busy + taken.busy};
}

static uint32_t place_of(const sg_warp *w, const sg_op *ip) {
    const sg_step *step = step_of(w, ip);
    return step ? step->place : 0;
}

/* A millisecond at most, as on a GPU. */
static void nap(sg_warp *w, const sg_op *ip, char *r) {
    const uint32_t *ns = (const uint32_t *)(r + ip->a);
    uint32_t longest = 0;
    for (uint32_t m = w->mask; m; m &= m - 1)
        longest = latest(longest, ns[__builtin_ctz(m)]);
    if (w->trace && w->trace->close)
        note(w, ip,
             (sg_taken){(uint32_t)(fmin(longest, 1e6) * w->block->run->trace->gpu->clocks_per_ns),
                        0});
}

void (*const sg_trace_sleep)(sg_warp *w, const sg_op *ip, char *r) = nap;

/* Who waits at the barrier of a cooperative launch waits for blocks that run beside it. */
static void note_wait(sg_warp *w, const uint64_t *addresses, int64_t offset, uint32_t mask) {
    sg_run *run = w->block->run;
    uint64_t barrier = (uint64_t)(uintptr_t)run->grid_workspace;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addresses[__builtin_ctz(m)] + (uint64_t)offset;
        run->waits |= !barrier || at - barrier >= SG_GRID_WORKSPACE;
    }
}

/* Lanes that want other words than the rest wait for each of them. */
static void constant(sg_warp *w, const sg_op *ip, const uint64_t *addresses, uint32_t mask) {
    sg_trace *t = w->block->run->trace;
    uint32_t more = 0;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        uint64_t word = addresses[__builtin_ctz(m)] >> 2;
        bool known = false;
        for (uint32_t before = mask & ((m & -m) - 1); before && !known; before &= before - 1)
            known = addresses[__builtin_ctz(before)] >> 2 == word;
        more += !known;
    }
    uint32_t busy = (uint32_t)(more * t->gpu->constant_clocks);
    t->sum.constant_words += more;
    if (!w->trace || !w->trace->close)
        return;
    if (t->shares)
        sg_shares_constant(t->shares, place_of(w, ip), more);
    note(w, ip, (sg_taken){t->gpu->latency[SG_LATENCY_L1] + busy, busy});
}

void sg_trace_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes, bool row) {
    sg_trace *t = w->block->run->trace;
    if (ip->flags & SG_F_WAITS)
        note_wait(w, addresses, offset, mask);
    if (t->quiet)
        return;
    uint32_t op = w->func->ordinal + (uint32_t)(ip - w->func->ops);
    bool close = w->trace && w->trace->close;
    if (ip->flags & SG_F_CONSTANT) {
        constant(w, ip, addresses, mask);
        return;
    }
    if (close && t->shares)
        sg_shares_before(t->shares, sg_traffic_sum(t->traffic));
    sg_taken taken = sg_traffic_access(t->traffic, close ? w->block : NULL, op, access, addresses,
                                       offset, mask, bytes, row);
    if (close && t->shares)
        sg_shares_access(t->shares, op, place_of(w, ip), access, (uint32_t)__builtin_popcount(mask),
                         sg_traffic_sum(t->traffic));
    if (taken.took || taken.busy)
        note(w, ip, taken);
}

/* The passes of a request, with those that ptxas puts together with it; 0: another one does it. */
static uint32_t passes_of(const sg_step *step, enum sg_access access, const uint32_t *addresses,
                          int64_t offset, uint32_t mask, uint32_t bytes) {
    if (step && step->wide == SG_STEP_JOINED)
        return 0;
    if (step && step->wide) {
        offset -= step->from;
        bytes = step->wide;
    }
    return access == SG_READ ? sg_passes(addresses, offset, mask, bytes)
                             : sg_wavefronts(addresses, offset, mask, bytes, access == SG_ATOMIC);
}

void sg_trace_shared(sg_warp *w, const sg_op *ip, enum sg_access access, const uint32_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t wavefronts) {
    sg_trace *t = w->block->run->trace;
    if (!w->trace || !w->trace->close)
        return;
    const sg_step *step = step_of(w, ip);
    t->shared_counted += wavefronts;
    if (ip->width > 4 || (step && step->wide))
        wavefronts = passes_of(step, access, addresses, offset, mask, ip->width);
    if (!wavefronts)
        return;
    t->sum.shared_wavefronts += wavefronts;
    if (t->shares)
        sg_shares_shared(t->shares, place_of(w, ip), wavefronts);
    uint32_t latency =
        t->gpu->latency[access == SG_ATOMIC ? SG_LATENCY_SHARED_ATOMIC : SG_LATENCY_SHARED];
    note(w, ip, (sg_taken){latency + wavefronts - 1, wavefronts});
}

/* Local memory lies in L1, a line for each word of a warp. */
void sg_trace_local(sg_warp *w, const sg_op *ip) {
    sg_trace *t = w->block->run->trace;
    if (!w->trace || !w->trace->close)
        return;
    if (t->shares)
        sg_shares_before(t->shares, sg_traffic_sum(t->traffic));
    note(w, ip, sg_traffic_local(t->traffic, (ip->width + 3) / 4));
    if (t->shares)
        sg_shares_access(t->shares, w->func->ordinal + (uint32_t)(ip - w->func->ops),
                         place_of(w, ip), SG_READ, 0, sg_traffic_sum(t->traffic));
}

/* ---- blocks and barriers --------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 31) * 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
}

/* Is it one of TRACED_BLOCKS that are spread evenly over the grid? With a seed, of each part of the
 * grid the one that the seed chooses: nobody who wrote the kernel knew. */
static bool evenly(const sg_trace *t, uint64_t id) {
    uint64_t wanted = t->n_blocks < TRACED_BLOCKS ? t->n_blocks : TRACED_BLOCKS;
    if (t->gpu->seed) {
        uint64_t k = id * wanted / t->n_blocks; /* from .. to - 1 are the k-th part */
        uint64_t from = (k * t->n_blocks + wanted - 1) / wanted;
        uint64_t to = ((k + 1) * t->n_blocks + wanted - 1) / wanted;
        return id == from + mixed(t->gpu->seed + k) % (to - from);
    }
    uint64_t k = wanted > 1 ? id * (wanted - 1) / (t->n_blocks - 1) : 0;
    return wanted <= 1 ? id == 0 : id == (k * (t->n_blocks - 1) + wanted - 2) / (wanted - 1);
}

static void sum_so_far(const sg_trace *t, sg_traits *sum) {
    *sum = t->sum;
    sg_traffic_report(t->traffic, sum);
}

bool sg_trace_block(sg_trace *t, sg_block *b) {
    bool member = t->sample && sg_sample_has(t->sample, b->id);
    bool close = member || (!t->quiet && evenly(t, b->id));
    for (uint32_t i = 0; i < b->n_warps; i++) {
        sg_warp *w = &b->warps[i];
        if (!w->trace && !(w->trace = calloc(1, sizeof *w->trace)))
            return false;
        sg_trace_warp *mine = w->trace;
        *mine = (sg_trace_warp){.close = close,
                                .crowd = b->n_warps,
                                .ready = mine->ready,
                                .room = mine->room,
                                .noted = mine->noted,
                                .begun = mine->begun,
                                .slots = mine->slots};
    }
    if (close && t->shares)
        sg_shares_block(t->shares, member ? sg_sample_weight(t->sample, b->id) : 1,
                        !member || sg_sample_chains(t->sample));
    if (member) {
        sg_sample_begins(t->sample, b->id);
        sg_traffic_sample(t->traffic, t->sample);
        sum_so_far(t, &t->before);
    }
    return close;
}

/* A block of the sample has ended. After the last one, either the others follow, or they are traced
 * as without a sample. */
static void member_ends(sg_trace *t, const sg_block *b, uint32_t chain) {
    sg_traits did;
    uint64_t instructions = 0;
    for (uint32_t k = 0; k < b->n_warps; k++)
        instructions += b->warps[k].issued;
    sum_so_far(t, &did);
    did.chain = chain;
    sg_queued queued = sg_contention_queued(b->worker->contention);
    did.busiest_address = (double)queued.address;
    did.busiest_queue = (double)queued.queue;
    sg_sample_ends(t->sample, &t->before, &did, instructions);
    sg_sample_replays(t->sample, sg_traffic_seen(t->traffic));
    if (!sg_sample_done(t->sample))
        return;
    t->quiet = sg_sample_holds(t->sample, &t->why);
    if (!t->quiet && t->shares)
        sg_shares_restart(t->shares);
    sg_traffic_sample(t->traffic, NULL);
    sg_traffic_restart(t->traffic);
}

void sg_trace_block_ends(sg_trace *t, sg_block *b) {
    uint32_t chain = 0;
    if (!b->warps[0].trace || !b->warps[0].trace->close)
        return;
    sg_traffic_ends(t->traffic, b);
    for (uint32_t k = 0; k < b->n_warps; k++) {
        finish(t, b->warps[k].trace);
        chain = latest(chain, now(b->warps[k].trace));
    }
    t->sum.longest_chain = fmax(t->sum.longest_chain, chain);
    t->n_warps += b->n_warps;
    if (t->sample && sg_sample_has(t->sample, b->id)) {
        member_ends(t, b, chain);
        return;
    }
    t->traced++;
    t->chains += chain;
}

void sg_trace_warp_free(sg_trace_warp *w) {
    if (w) {
        free(w->ready);
        free(w->noted);
        free(w->begun);
    }
    free(w);
}

void sg_trace_arrive(sg_warp *w, uint32_t id) {
    sg_trace *t = w->block->run->trace;
    if (!w->trace || !w->trace->close)
        return;
    finish(t, w->trace);
    t->arrived[id] = latest(t->arrived[id], now(w->trace));
}

static bool waits(const sg_warp *w, uint32_t id) {
    if (w->parked == id + 1)
        return true;
    for (uint32_t k = 0; k < w->n_paths; k++)
        if (w->paths[k].state == SG_PATH_BARRIER && w->paths[k].barrier == id)
            return true;
    return false;
}

void sg_trace_open(sg_block *b, uint32_t id) {
    sg_trace *t = b->run->trace;
    if (!b->warps[0].trace || !b->warps[0].trace->close)
        return;
    uint32_t clock = t->arrived[id];
    t->arrived[id] = 0;
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (waits(&b->warps[k], id)) {
            finish(t, b->warps[k].trace);
            clock = latest(clock, now(b->warps[k].trace));
        }
    uint32_t opens = t->gpu->latency[SG_LATENCY_BARRIER] + BARRIER_WARP_CLOCKS * b->n_warps;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        if (!waits(&b->warps[k], id))
            continue;
        b->warps[k].trace->clock = clock + opens;
        if (t->shares)
            sg_shares_wait(t->shares, b->warps[k].trace->place, SG_WAIT_BARRIER, opens);
    }
}
