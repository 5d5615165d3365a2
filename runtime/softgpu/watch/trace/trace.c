/* trace.c: a traced launch. Each warp has a clock (chain.c), and barriers join the clocks of a
 * block. README.md says which blocks are traced ("close" here), and how the others follow. */
#include "runtime/softgpu/watch/trace/trace.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/watch/check/race.h"
#include "runtime/softgpu/watch/queue/banks.h"
#include "runtime/softgpu/watch/queue/contention.h"
#include "runtime/softgpu/watch/record/record.h"
#include "runtime/softgpu/watch/trace/bulk.h"
#include "runtime/softgpu/watch/trace/chain.h"
#include "runtime/softgpu/watch/trace/sample.h"
#include "runtime/softgpu/watch/trace/spread.h"
#include "runtime/softgpu/watch/trace/waits.h"

#define MOST_CLOCKS (1u << 31)
#define BARRIER_WARP_CLOCKS 2 /* clocks of a barrier for each warp, measured on an H200 */

typedef struct repeated { /* how often warps of traced blocks ran a segment, by its op */
    float slots;
    uint32_t times;
} repeated;

struct sg_trace {
    const sg_launch *launch;
    const sg_gpu *gpu;
    uint64_t n_blocks;
    sg_traffic *traffic;
    sg_traits sum;         /* instructions of all blocks; chains of the traced ones */
    double shared_counted; /* their passes over the banks, without merging requests */
    double started, chains;
    uint64_t ran_seen, ran_most; /* of the longest warp: in the longest chain; in all */
    sg_waits *turns;             /* set if blocks wait for one another: then all are traced */
    sg_sample *sample;           /* or NULL */
    sg_shares *shares;           /* NULL: not asked for */
    sg_traits before;            /* the sum when the current block of the sample began */
    enum sg_no_time why;         /* the reason why the other blocks do not follow from the sample */
    bool depends;                /* control flow or addresses depend on what the kernel reads */
    _Atomic bool quiet;          /* the other blocks follow, and are not traced */
    sg_spread spread;            /* without the sample's blocks among those looked at */
    repeated *repeated;
    uint32_t n_ops, n_warps; /* n_warps: in traced blocks */
};

/* ---- a launch ---------------------------------------------------------------------------- */

sg_trace *sg_trace_new(const sg_launch *launch, uint64_t n_blocks, const sg_code *code) {
    sg_trace *t = calloc(1, sizeof *t);
    uint32_t n_ops = sg_code_ops(code);
    if (!t)
        return NULL;
    t->launch = launch;
    t->gpu = launch->gpu;
    t->n_blocks = n_blocks;
    t->spread = (sg_spread){.n_blocks = n_blocks, .seed = launch->gpu->seed};
    t->started = wb_now();
    uint32_t n_warps =
        (launch->block[0] * launch->block[1] * launch->block[2] + SG_LANES - 1) / SG_LANES;
    bool in_turn = code->in_turn && n_blocks <= SG_WAITS_BLOCKS;
    if (in_turn && !(t->turns = sg_waits_new(launch->gpu, n_blocks, n_warps))) {
        free(t);
        return NULL;
    }
    t->traffic = sg_traffic_new(t->gpu, n_ops, in_turn ? sg_waits_slots(t->turns) : 0);
    t->n_ops = n_ops;
    t->repeated = calloc(n_ops + 1, sizeof *t->repeated);
    if (launch->options & SG_SHARES)
        t->shares = sg_shares_new(code, n_ops);
    t->depends = code->depends;
    if (t->depends)
        t->why = SG_DEPENDS;
    else if (!code->waits && !launch->cooperative && !(launch->options & SG_RECORD))
        t->sample = sg_sample_new(launch, n_ops);
    if (t->traffic && t->repeated)
        return t;
    sg_trace_free(t);
    return NULL;
}

void sg_trace_free(sg_trace *t) {
    if (!t)
        return;
    sg_waits_free(t->turns);
    sg_sample_free(t->sample);
    sg_shares_free(t->shares);
    sg_traffic_free(t->traffic);
    WB_FREE(t->repeated, t);
}

uint64_t sg_trace_place(const sg_trace *t, uint64_t k) {
    bool drawn = t->quiet && t->launch->options & SG_SAMPLE;
    return t->sample ? sg_sample_block(t->sample, k, drawn) : k;
}

/* Returns true if all blocks together would take longer than the user wants to wait. */
static bool takes_long(const sg_trace *t, uint64_t done) {
    double elapsed = wb_now() - t->started;
    return elapsed > 1 && elapsed * (double)t->n_blocks > t->launch->patience * (double)done;
}

bool sg_trace_leaves_rest(const sg_trace *t) {
    unsigned all_watched = SG_COUNT | SG_LINES | SG_RACECHECK | SG_INITCHECK;
    return t->quiet && !(t->launch->options & all_watched);
}

bool sg_trace_rested(const sg_trace *t, uint64_t ran) {
    return t->launch->options & SG_SAMPLE && sg_sample_enough(t->sample, ran);
}

bool sg_trace_enough(sg_trace *t, uint64_t done) {
    static _Atomic bool partly; /* an earlier launch skipped blocks, and so wrote only a part */
    if (sg_trace_leaves_rest(t)) {
        partly |= t->launch->options & SG_SAMPLE;
        return true;
    }
    if (!(t->launch->options & SG_SAMPLE) || (t->sample && !sg_sample_done(t->sample)))
        return false;
    if (t->quiet) {
        partly = true;
        return true;
    }
    if (t->depends && partly) {
        t->sum.no_time = SG_DEPENDS_PARTLY;
        return true;
    }
    if (!takes_long(t, done))
        return false;
    t->sum.no_time = t->why ? t->why : SG_FEW_LONG_BLOCKS;
    return true;
}

sg_waits *sg_trace_turns(const sg_trace *t) {
    return t->turns;
}

void sg_trace_untimed(sg_trace *t, enum sg_no_time why) {
    t->sum.no_time = why;
}

bool sg_trace_quiet(const sg_trace *t) {
    return t->quiet;
}

/* Scales the sums of traced blocks to all blocks. */
static void scale(sg_traits *traits, double times) {
    traits->l1_clocks *= times;
    traits->l1_requests *= times;
    traits->l2_reads *= times;
    traits->l2_writes *= times;
    traits->l2_joined *= times;
    traits->l2_partial_writes *= times;
    traits->l2_atomics *= times;
    traits->constant_words *= times;
}

/* Returns how often a warp executes an instruction, averaged over all executed instructions. */
static double repeats(const sg_trace *t) {
    double all = 0, squares = 0;
    for (uint32_t k = 0; k < t->n_ops; k++) {
        double times = (double)t->repeated[k].times, slots = (double)t->repeated[k].slots;
        all += slots * times;
        squares += slots * times * times;
    }
    return all > 0 && t->n_warps ? squares / all / t->n_warps : 0;
}

/* Returns how much longer an untraced block may take than the longest traced
 * one. That is the ratio of the instructions of their longest warps. */
static double longer(const sg_trace *t) {
    return t->ran_seen && t->ran_most > t->ran_seen ? (double)t->ran_most / (double)t->ran_seen : 1;
}

void sg_trace_report(sg_trace *t, sg_traits *traits) {
    *traits = t->sum;
    if (t->quiet) {
        sg_sample_report(t->sample, traits);
    } else {
        double close = (double)t->spread.close;
        bool unseen = false, asked = !(t->launch->options & SG_RECORD);
        double memory = asked ? sg_spread_beside(&t->spread, SG_WORK_MEMORY, &unseen) : 1;
        double issued = asked ? sg_spread_beside(&t->spread, SG_WORK_ISSUED, &unseen) : 1;
        sg_traffic_report(t->traffic, traits);
        scale(traits, close > 0 ? memory * (double)t->n_blocks / close : 0);
        traits->chain = close > 0 ? issued * t->chains / close : 0;
        traits->longest_chain *= longer(t);
        traits->traced = t->spread.close;
        if (unseen && !traits->no_time)
            traits->no_time = SG_UNSEEN;
    }
    if (t->turns)
        traits->last_end = sg_waits_last_end(t->turns);
    traits->blocks = t->n_blocks;
    traits->repeats = repeats(t);
    traits->shared_together =
        t->shared_counted > 0 ? t->sum.shared_wavefronts / t->shared_counted : 1;
}

uint32_t sg_trace_shares(const sg_trace *t, const sg_traits *traits, sg_line_traits **out) {
    *out = NULL;
    if (!t->shares || traits->no_time || !traits->traced)
        return 0;
    return sg_shares_report(t->shares, traits, sg_traffic_seen(t->traffic), out);
}

/* ---- what warps do ---- */

void sg_trace_segment(sg_warp *w, const sg_op *ip, char *r) {
    sg_trace *t = w->block->run->trace;
    sg_trace_warp *mine = w->trace;
    const sg_segment *s = ip->aux;
    (void)r;
    if (t->quiet)
        return;
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
    sg_chain_segment(mine, w->func, s, op);
}

static uint32_t place_of(const sg_warp *w, const sg_op *ip) {
    const sg_step *step = sg_chain_step(w, ip);
    return step ? step->place : 0;
}

/* Sleeps for the longest time that a lane asks for, but at most a millisecond, as on a GPU. */
static void nap(sg_warp *w, const sg_op *ip, char *r) {
    const uint32_t *ns = (const uint32_t *)(r + ip->a);
    uint32_t longest = 0;
    for (uint32_t m = w->mask; m; m &= m - 1)
        longest = sg_later(longest, ns[__builtin_ctz(m)]);
    if (w->trace && w->trace->close)
        sg_chain_took(
            w, ip,
            (sg_taken){(uint32_t)(fmin(longest, 1e6) * w->block->run->trace->gpu->clocks_per_ns),
                       0});
}

void (*const sg_trace_sleep)(sg_warp *w, const sg_op *ip, char *r) = nap;

void sg_trace_print(const sg_warp *w, const sg_op *ip) {
    sg_trace *t = w->block->run->trace;
    uint32_t lanes = (uint32_t)__builtin_popcount(w->mask);
    if (t->quiet)
        return;
    t->sum.prints++;
    t->sum.printed += lanes;
    if (t->shares && w->trace && w->trace->close)
        sg_shares_print(t->shares, place_of(w, ip), lanes);
}

/* Notes a warp that waits at a cooperative launch's barrier, and so for blocks
 * that run beside it. */
static void note_wait(sg_warp *w, const uint64_t *addresses, int64_t offset, uint32_t mask) {
    sg_run *run = w->block->run;
    uint64_t barrier = (uint64_t)(uintptr_t)run->grid_workspace;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addresses[__builtin_ctz(m)] + (uint64_t)offset;
        run->waits |= !barrier || at - barrier >= SG_GRID_WORKSPACE;
    }
}

/* Counts the words of constant memory that lanes want beyond the first lane's.
 */
static uint32_t other_words(const uint64_t *addresses, uint32_t mask) {
    uint64_t first = addresses[__builtin_ctz(mask)] >> 2, others = 0;
    uint32_t more = 0;
    for (uint32_t i = 0; i < SG_LANES; i++)
        others |= (addresses[i] >> 2 ^ first) & -(uint64_t)(mask >> i & 1);
    if (!others)
        return 0;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        uint64_t word = addresses[__builtin_ctz(m)] >> 2;
        bool known = false;
        for (uint32_t before = mask & ((m & -m) - 1); before && !known; before &= before - 1)
            known = addresses[__builtin_ctz(before)] >> 2 == word;
        more += !known;
    }
    return more;
}

/* Charges a request to constant memory: each further word costs extra. */
static void constant(sg_warp *w, const sg_op *ip, const uint64_t *addresses, uint32_t mask) {
    sg_trace *t = w->block->run->trace;
    if (!w->trace || !w->trace->close)
        return;
    uint32_t more = other_words(addresses, mask);
    uint32_t busy = (uint32_t)(more * t->gpu->constant_clocks);
    t->sum.constant_words += more;
    if (t->shares)
        sg_shares_constant(t->shares, place_of(w, ip), more);
    sg_chain_took(w, ip, (sg_taken){t->gpu->latency[SG_LATENCY_L1] + busy, busy});
}

void sg_trace_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes, bool row) {
    sg_trace *t = w->block->run->trace;
    if (t->turns && access == SG_WRITE)
        sg_waits_news(w, addresses, offset, mask);
    else if (!t->turns && ip->flags & SG_F_WAITS)
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
    const sg_step *step = close ? sg_chain_step(w, ip) : NULL;
    sg_taken taken = sg_traffic_access(
        t->traffic, close ? w->block : NULL, op, access, addresses, offset, mask, bytes, row,
        access == SG_READ && ip->mode & SG_RACE_STRONG, step ? step->joins : 0);
    if (close && t->shares)
        sg_shares_access(t->shares, op, place_of(w, ip), access, (uint32_t)__builtin_popcount(mask),
                         sg_traffic_sum(t->traffic));
    if (taken.took || taken.busy)
        sg_chain_took(w, ip, taken);
}

/* Returns the passes of a request, with those that ptxas merges into it; 0: merged into another. */
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
    const sg_step *step = sg_chain_step(w, ip);
    t->shared_counted += wavefronts;
    if (step && step->adds_ones)
        wavefronts = sg_wavefronts(addresses, offset, mask, ip->width, false);
    else if (ip->width > 4 || (step && step->wide))
        wavefronts = passes_of(step, access, addresses, offset, mask, ip->width);
    if (!wavefronts)
        return;
    t->sum.shared_wavefronts += wavefronts;
    if (t->shares)
        sg_shares_shared(t->shares, place_of(w, ip), wavefronts);
    uint32_t latency =
        t->gpu->latency[access == SG_ATOMIC ? SG_LATENCY_SHARED_ATOMIC : SG_LATENCY_SHARED];
    sg_chain_took(w, ip, (sg_taken){latency + wavefronts - 1, wavefronts});
}

/* Local memory is in L1: one line for each word of a warp. */
void sg_trace_local(sg_warp *w, const sg_op *ip) {
    sg_trace *t = w->block->run->trace;
    if (!w->trace || !w->trace->close)
        return;
    if (t->shares)
        sg_shares_before(t->shares, sg_traffic_sum(t->traffic));
    sg_chain_took(w, ip, sg_traffic_local(t->traffic, (ip->width + 3) / 4));
    if (t->shares)
        sg_shares_access(t->shares, w->func->ordinal + (uint32_t)(ip - w->func->ops),
                         place_of(w, ip), SG_READ, 0, sg_traffic_sum(t->traffic));
}

uint32_t sg_trace_copy(sg_warp *w, const sg_op *ip, enum sg_access access, uint64_t address,
                       uint32_t bytes) {
    sg_trace *t = w->block->run->trace;
    if (!t || t->quiet)
        return 0;
    bool close = w->trace && w->trace->close;
    uint32_t op = w->func->ordinal + (uint32_t)(ip - w->func->ops);
    if (close && t->shares)
        sg_shares_before(t->shares, sg_traffic_sum(t->traffic));
    uint32_t latency =
        sg_traffic_copy(t->traffic, close ? w->block : NULL, op, access, address, bytes);
    if (close && t->shares)
        sg_shares_access(t->shares, op, place_of(w, ip), access, SG_LANES,
                         sg_traffic_sum(t->traffic));
    return latency;
}

/* ---- blocks and barriers ------------------------------------------------------------------ */

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void sum_so_far(const sg_trace *t, sg_traits *sum) {
    *sum = t->sum;
    sg_traffic_report(t->traffic, sum);
}

bool sg_trace_block(sg_trace *t, sg_block *b) {
    bool member = t->sample && sg_sample_has(t->sample, b->id);
    bool close = member || t->turns || (!t->quiet && sg_spread_has(&t->spread, b->id));
    if (b->run->record) /* only the drawn block is traced; others run uninstrumented code */
        close = t->turns || sg_recorder_clocks(b->run->record, b);
    for (uint32_t i = 0; i < b->n_warps; i++) {
        sg_warp *w = &b->warps[i];
        if (!w->trace && !(w->trace = calloc(1, sizeof *w->trace)))
            return false;
        sg_chain_begin(w->trace, t->gpu, t->shares, b->n_warps);
        w->trace->close = close;
        w->trace->record = sg_recorder_clocks(b->run->record, b);
        w->trace->index = i;
    }
    if (!sg_bulk_begin(b))
        return false;
    if (t->turns)
        sg_waits_begin(t->turns, b,
                       t->n_blocks - least(t->n_blocks, atomic_load(&b->run->next_block)));
    double weight = member ? sg_sample_begins(t->sample, b->id) : 1;
    if (close && t->shares)
        sg_shares_block(t->shares, weight, !member || sg_sample_chains(t->sample));
    if (member) {
        sg_traffic_sample(t->traffic, t->sample);
        sum_so_far(t, &t->before);
    }
    return close;
}

/* Ends a block of the sample. After the last one, either the other blocks
 * follow from them, or they are traced as without a sample. */
static void member_ends(sg_trace *t, const sg_block *b, const sg_work *work, uint32_t chain) {
    sg_traits did;
    sum_so_far(t, &did);
    did.chain = chain;
    sg_queued queued = sg_contention_queued(b->worker->contention);
    did.busiest_address = (double)queued.address;
    did.busiest_queue = (double)queued.queue;
    sg_sample_ends(t->sample, &t->before, &did, work);
    sg_sample_replays(t->sample, sg_traffic_seen(t->traffic));
    if (!sg_sample_done(t->sample))
        return;
    t->quiet = sg_sample_holds(t->sample, &t->why);
    if (!t->quiet && t->shares)
        sg_shares_restart(t->shares);
    sg_traffic_sample(t->traffic, NULL);
    sg_traffic_restart(t->traffic);
}

static sg_work work_of(const sg_block *b) {
    sg_work work = {{0}};
    for (uint32_t k = 0; k < b->n_warps; k++) {
        work.of[SG_WORK_ISSUED] += (double)b->warps[k].issued;
        work.of[SG_WORK_MEMORY] += (double)(uint32_t)b->warps[k].accesses;
        work.of[SG_WORK_SHARED] += (double)(b->warps[k].accesses >> SG_TALLY_SHARED);
    }
    return work;
}

/* Returns the instructions of the block's longest warp. */
static uint64_t longest_warp(const sg_block *b) {
    uint64_t most = 0;
    for (uint32_t k = 0; k < b->n_warps; k++)
        most = b->warps[k].issued > most ? b->warps[k].issued : most;
    return most;
}

void sg_trace_block_ends(sg_trace *t, sg_block *b) {
    uint32_t chain = 0;
    sg_work work = work_of(b);
    if (t->quiet)
        sg_sample_counts(t->sample, b->id, &work);
    if (t->quiet || !b->warps[0].trace)
        return;
    bool close = b->warps[0].trace->close;
    bool member = t->sample && sg_sample_has(t->sample, b->id);
    sg_spread_ends(&t->spread, &work, close && !member);
    uint64_t ran = longest_warp(b);
    t->ran_most = ran > t->ran_most ? ran : t->ran_most;
    if (!close)
        return;
    sg_traffic_ends(t->traffic, b);
    for (uint32_t k = 0; k < b->n_warps; k++)
        chain = sg_later(chain, sg_chain_now(b->warps[k].trace));
    if (t->turns) {
        sg_waits_end(t->turns, b, chain);
        chain -= b->begins;
    }
    if (chain >= MOST_CLOCKS)
        t->sum.no_time = SG_LONG_BLOCK;
    if (chain > t->sum.longest_chain) {
        t->sum.longest_chain = chain;
        t->ran_seen = ran;
    }
    t->n_warps += b->n_warps;
    if (member)
        member_ends(t, b, &work, chain);
    else
        t->chains += chain;
}

void sg_trace_warp_free(sg_trace_warp *w) {
    sg_chain_free(w);
}

void sg_trace_arrive(sg_warp *w, uint32_t id) {
    if (!w->trace || !w->trace->close)
        return;
    uint32_t *clock = &w->block->barriers[id].clock;
    *clock = sg_later(*clock, sg_chain_now(w->trace));
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
    uint32_t clock = b->barriers[id].clock;
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (waits(&b->warps[k], id))
            clock = sg_later(clock, sg_chain_now(b->warps[k].trace));
    uint32_t opens = t->gpu->latency[SG_LATENCY_BARRIER] + BARRIER_WARP_CLOCKS * b->n_warps;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        if (!waits(&b->warps[k], id))
            continue;
        sg_trace_warp *mine = b->warps[k].trace;
        if (mine->record)
            sg_record_span(mine->record, k, sg_chain_clock(mine), clock + opens, SG_WAIT_BARRIER,
                           mine->place);
        mine->clock = clock + opens;
        if (t->shares)
            sg_shares_wait(t->shares, b->warps[k].trace->place, SG_WAIT_BARRIER, opens);
    }
}
