/* trace.c: a traced launch. The clock of a warp moves from segment to segment (instructions without
 * a branch): in one, an instruction begins when what it reads is ready, whatever stands before it,
 * as ptxas orders them so; the next segment begins when the last of them has begun, and no sooner
 * than one instruction a clock allows. Barriers join the clocks of a block's warps.
 *
 * Chains and L1 are looked at in some blocks only, spread evenly over the grid: a block has its
 * share of L1 for itself. L2 is asked by all of them, for one in 2^k of its lines, chosen by a hash
 * (set sampling; k rises with the memory in use). Blocks run one after another here; on a GPU those
 * of a wave run together, so what they share is kept a little too well, or a little too badly. */
#include "runtime/softgpu/watch/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/softgpu/watch/cache.h"
#include "runtime/softgpu/watch/counters.h"

#define TRACED_BLOCKS 32
#define SAMPLED_LINES (1u << 12) /* of the memory in use are followed in L2, at least */
#define GROUPS 8                 /* of copies under way */

typedef struct seen { /* what an instruction's requests found in L2 */
    uint32_t asked, missed;
} seen;

struct sg_trace {
    const sg_gpu *gpu;
    const sg_code *code;
    uint64_t n_blocks, started, traced;
    uint32_t shift; /* one line of 2^shift is followed in L2 */
    sg_cache *l1, *l2;
    const sg_block *current; /* whose lines are in l1 */
    seen *seen, all;         /* by op */
    sg_traits sum;           /* of blocks that were traced: not chains, pipes and DRAM */
    double chains;
    uint32_t arrived[16]; /* clocks of those that came to a barrier and went on */
};

struct sg_trace_warp {
    const sg_segment *pending; /* executed, its clocks not known yet */
    const sg_func *func;
    uint32_t clock;
    uint32_t stored[2]; /* when the last store began: to memory, to shared memory */
    uint32_t copied;    /* when all copies of this group are there */
    uint32_t groups[GROUPS], n_groups;
    uint32_t *ready, room;   /* by register: the clock from which it may be read */
    uint32_t *noted, slots;  /* by step of the pending segment: what memory took, or 0 */
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
    size_t used = 0, total = 0;
    if (!t)
        return NULL;
    sg_mem_usage(&used, &total);
    t->gpu = launch->gpu;
    t->code = code;
    t->n_blocks = n_blocks;
    while (t->shift < 10 && used / SG_LINE_BYTES >> (t->shift + 1) >= SAMPLED_LINES)
        t->shift++;
    t->l1 = sg_cache_new(t->gpu->l1_bytes, 1);
    t->l2 = sg_cache_new(t->gpu->l2_bytes >> t->shift, 2);
    t->seen = calloc(total_ops(code) + 1, sizeof *t->seen);
    if (t->l1 && t->l2 && t->seen)
        return t;
    sg_trace_free(t);
    return NULL;
}

void sg_trace_free(sg_trace *t) {
    if (!t)
        return;
    sg_cache_free(t->l1);
    sg_cache_free(t->l2);
    free(t->seen);
    free(t);
}

void sg_trace_report(sg_trace *t, sg_traits *traits) {
    double blocks = t->traced ? (double)t->n_blocks / (double)t->traced : 0;
    double lines = (double)(1u << t->shift);
    *traits = t->sum;
    traits->blocks = t->n_blocks;
    traits->traced = t->traced;
    traits->l1_clocks *= blocks;
    traits->l2_reads *= blocks;
    traits->l2_writes *= blocks;
    traits->l2_partial_writes *= blocks;
    traits->l2_atomics *= blocks;
    traits->dram_reads *= lines;
    traits->dram_writes *= lines;
    traits->dirty = (double)sg_cache_dirty(t->l2) * lines;
    traits->chain = t->traced ? t->chains / (double)t->traced : 0;
}

/* ---- a segment ------------------------------------------------------------------------------- */

static uint32_t latest(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t took(const sg_trace *t, const sg_trace_warp *w, uint32_t step) {
    uint32_t noted = w->noted[step];
    return noted ? noted : t->gpu->latency[w->pending->steps[step].latency];
}

/* The clock at which a step begins, and what it makes others wait for. */
static uint32_t begin(const sg_trace *t, sg_trace_warp *w, uint32_t index) {
    const sg_segment *s = w->pending;
    const sg_step *step = &s->steps[index];
    const uint32_t *written = s->registers + step->first, *read = written + step->n_written;
    bool shared = step->latency == SG_LATENCY_SHARED || step->latency == SG_LATENCY_SHARED_ATOMIC;
    uint32_t start = w->clock;
    for (uint32_t k = 0; k < step->n_read; k++)
        start = latest(start, w->ready[read[k]]);
    switch ((enum sg_step_kind)step->kind) {
    case SG_STEP_LOAD:
        start = latest(start, w->stored[shared]);
        break;
    case SG_STEP_STORE:
        w->stored[shared] = latest(w->stored[shared], start);
        return start;
    case SG_STEP_COPY:
        w->copied = latest(w->copied, start + took(t, w, index));
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
    case SG_STEP_PLAIN:
        break;
    }
    uint32_t end = start + took(t, w, index);
    for (uint32_t k = 0; k < step->n_written; k++)
        w->ready[written[k]] = end;
    return start;
}

/* Moves the clock over the segment that has been executed. */
static void finish(const sg_trace *t, sg_trace_warp *w) {
    const sg_segment *s = w->pending;
    if (!s)
        return;
    uint32_t last = w->clock;
    if (s != w->again) {
        last = latest(last, w->last);
        w->clock = latest(w->clock, w->last);
        w->turns = 0;
        w->again = s;
    }
    for (uint32_t k = 0; k < s->n_steps; k++)
        last = latest(last, begin(t, w, k));
    w->last = latest(w->last, last);
    w->clock += (uint32_t)(s->slots + 0.5f);
    if (++w->turns % s->unrolled == 0)
        w->clock = latest(w->clock, w->last);
    w->pending = NULL;
}

/* When all that it has executed has begun. */
static uint32_t now(const sg_trace_warp *w) {
    return latest(w->clock, w->last);
}

/* Room for a function's registers and a segment's steps; what is not there begins at `clock`. */
static bool reserve(sg_trace_warp *w, const sg_func *func, uint32_t steps) {
    uint32_t registers = func->source->n_regs + 1;
    if (registers > w->room) {
        uint32_t *more = realloc(w->ready, registers * sizeof *more);
        if (!more)
            return false;
        w->ready = more;
        w->room = registers;
    }
    if (steps > w->slots) {
        uint32_t *more = realloc(w->noted, steps * sizeof *more);
        if (!more)
            return false;
        w->noted = more;
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
    if (s->unknown)
        t->sum.unknown = s->unknown;
    t->sum.issued += (double)s->slots;
    for (int k = 0; k < SG_PIPES; k++)
        t->sum.pipes[k] += (double)s->pipes[k];
    if (!mine || !mine->close)
        return;
    finish(t, mine);
    if (!reserve(mine, w->func, s->n_steps))
        return;
    memset(mine->noted, 0, s->n_steps * sizeof *mine->noted);
    mine->pending = s;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The step of the pending segment that ip belongs to took so many clocks. */
static void note(sg_warp *w, const sg_op *ip, uint32_t clocks) {
    sg_trace_warp *mine = w->trace;
    const sg_segment *s = mine ? mine->pending : NULL;
    if (!s || mine->func != w->func)
        return;
    uint32_t inst = w->func->insts[ip - w->func->ops];
    if (inst >= s->first && inst - s->first < s->n_steps)
        mine->noted[inst - s->first] = latest(mine->noted[inst - s->first], clocks);
}

typedef struct request { /* of a warp, by line */
    uint32_t n;
    uint64_t line[2 * SG_LANES];
    uint32_t bytes[2 * SG_LANES][4]; /* a bit for each byte, by sector */
} request;

/* Is the line one of those that are followed in L2? */
static bool sampled(const sg_trace *t, uint64_t line) {
    return !(line * 0xd6e8feb86659fd93ull >> 32 & ((1u << t->shift) - 1));
}

/* Bytes from..from + n - 1 of a line. */
static void add_to_line(request *q, uint64_t line, uint32_t from, uint32_t n) {
    uint32_t k = q->n;
    while (k && q->line[k - 1] != line)
        k--;
    if (!k) {
        if (q->n == 2 * SG_LANES)
            return;
        q->line[q->n] = line;
        memset(q->bytes[q->n], 0, sizeof q->bytes[0]);
        k = ++q->n;
    }
    while (n) {
        uint32_t in_sector = from % SG_SECTOR_BYTES, some = SG_SECTOR_BYTES - in_sector;
        some = some < n ? some : n;
        q->bytes[k - 1][from / SG_SECTOR_BYTES] |= (some == 32 ? UINT32_MAX : (1u << some) - 1)
                                                   << in_sector;
        from += some;
        n -= some;
    }
}

/* With `all`: also lines that are not followed in L2. */
static void add_bytes(const sg_trace *t, request *q, uint64_t at, uint64_t bytes, bool all) {
    while (bytes) {
        uint32_t in_line = (uint32_t)(at % SG_LINE_BYTES), here = SG_LINE_BYTES - in_line;
        here = here < bytes ? here : (uint32_t)bytes;
        if (all || sampled(t, at / SG_LINE_BYTES))
            add_to_line(q, at / SG_LINE_BYTES, in_line, here);
        at += here;
        bytes -= here;
    }
}

static bool in_a_row(const uint64_t *addresses, uint32_t bytes) {
    uint64_t differ = 0;
    for (uint32_t i = 0; i < SG_LANES; i++)
        differ |= addresses[i] - addresses[0] - (uint64_t)i * bytes;
    return !differ;
}

static void request_of(const sg_trace *t, request *q, const uint64_t *addresses, int64_t offset,
                       uint32_t mask, uint32_t bytes, bool all) {
    q->n = 0;
    if (mask == SG_ALL && in_a_row(addresses, bytes)) {
        add_bytes(t, q, addresses[0] + (uint64_t)offset, (uint64_t)SG_LANES * bytes, all);
        return;
    }
    uint64_t before = ~0ull;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addresses[__builtin_ctz(m)];
        if (at != before)
            add_bytes(t, q, at + (uint64_t)offset, bytes, all);
        before = at;
    }
}

static uint32_t sectors_of(const uint32_t bytes[4]) {
    uint32_t sectors = 0;
    for (uint32_t s = 0; s < 4; s++)
        sectors |= (uint32_t)(bytes[s] != 0) << s;
    return sectors;
}

static void ask_l2(sg_trace *t, seen *seen, uint64_t line, const uint32_t bytes[4],
                   uint32_t sectors, bool writes) {
    if (!sampled(t, line))
        return;
    sg_cached c = writes ? sg_cache_write(t->l2, line, bytes) : sg_cache_read(t->l2, line, sectors);
    t->sum.dram_reads += c.missed + c.filled;
    t->sum.dram_writes += c.written;
    if (writes)
        return;
    seen->asked += (uint32_t)__builtin_popcount(sectors);
    seen->missed += c.missed;
    t->all.asked += (uint32_t)__builtin_popcount(sectors);
    t->all.missed += c.missed;
}

/* What a load that L1 has not waits for: L2's latency and, as often as its line was not there
 * either, the memory's. */
static uint32_t beyond_l1(const sg_trace *t, const seen *seen, uint32_t sectors) {
    double share = seen->asked    ? (double)seen->missed / (double)seen->asked
                   : t->all.asked ? (double)t->all.missed / (double)t->all.asked
                                  : 1;
    const uint32_t *latency = t->gpu->latency;
    return (uint32_t)(latency[SG_LATENCY_L2] +
                      share * (latency[SG_LATENCY_DRAM] - latency[SG_LATENCY_L2]) +
                      sectors / t->gpu->l2_sectors_per_clock);
}

static void load(sg_warp *w, const sg_op *ip, sg_trace *t, seen *seen, const request *q,
                 uint32_t clocks, bool close) {
    uint32_t missed = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        uint32_t sectors = sectors_of(q->bytes[k]);
        if (close) {
            uint32_t n = sg_cache_read(t->l1, q->line[k], sectors).missed;
            if (!n)
                continue;
            missed += n;
        }
        ask_l2(t, seen, q->line[k], NULL, sectors, false);
    }
    if (!close)
        return;
    t->sum.l2_reads += missed;
    note(w, ip,
         (missed ? beyond_l1(t, seen, missed) : t->gpu->latency[SG_LATENCY_L1]) + clocks - 1);
}

static void store(sg_trace *t, seen *seen, const request *q, bool close, bool atomic) {
    uint32_t sectors = 0, partial = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        for (uint32_t s = 0; s < 4; s++) {
            sectors += q->bytes[k][s] != 0;
            partial += q->bytes[k][s] && q->bytes[k][s] != UINT32_MAX;
        }
        if (atomic)
            ask_l2(t, seen, q->line[k], NULL, sectors_of(q->bytes[k]), false);
        ask_l2(t, seen, q->line[k], q->bytes[k], 0, true);
    }
    if (!close)
        return;
    *(atomic ? &t->sum.l2_atomics : &t->sum.l2_writes) += sectors;
    t->sum.l2_partial_writes += atomic ? 0 : partial;
}

/* Clocks that the request keeps L1 busy: it looks up some lines in each, and its data has banks as
 * shared memory has. */
static uint32_t in_l1(const sg_trace *t, const request *q, const uint64_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes) {
    uint32_t low[SG_LANES], lines = (uint32_t)(q->n / t->gpu->l1_lines_per_clock + 0.5);
    for (uint32_t i = 0; i < SG_LANES; i++)
        low[i] = (uint32_t)addresses[i];
    return latest(lines, sg_wavefronts(low, offset, mask, bytes, false));
}

void sg_trace_global(sg_warp *w, const sg_op *ip, enum sg_access access, const uint64_t *addresses,
                     int64_t offset, uint32_t mask, uint32_t bytes) {
    sg_trace *t = w->block->run->trace;
    bool close = w->trace && w->trace->close;
    seen *seen = &t->seen[w->func->ordinal + (uint32_t)(ip - w->func->ops)];
    request q;
    request_of(t, &q, addresses, offset, mask, bytes, close);
    if (close && t->current != w->block) {
        sg_cache_empty(t->l1);
        t->current = w->block;
    }
    uint32_t clocks = close ? in_l1(t, &q, addresses, offset, mask, bytes) : 0;
    t->sum.l1_clocks += clocks;
    if (access == SG_READ) {
        load(w, ip, t, seen, &q, clocks, close);
        return;
    }
    store(t, seen, &q, close, access == SG_ATOMIC);
    if (access == SG_ATOMIC && close)
        note(w, ip, t->gpu->latency[SG_LATENCY_ATOMIC] + clocks - 1);
}

void sg_trace_shared(sg_warp *w, const sg_op *ip, enum sg_access access, uint32_t wavefronts) {
    const sg_trace *t = w->block->run->trace;
    if (w->trace && w->trace->close)
        note(w, ip,
             t->gpu->latency[access == SG_ATOMIC ? SG_LATENCY_SHARED_ATOMIC : SG_LATENCY_SHARED] +
                 wavefronts - 1);
}

/* Local memory lies in L1, a line for each word of a warp. */
void sg_trace_local(sg_warp *w, const sg_op *ip) {
    sg_trace *t = w->block->run->trace;
    if (!w->trace || !w->trace->close)
        return;
    uint32_t lines = (ip->width + 3) / 4;
    t->sum.l1_clocks += lines;
    note(w, ip, t->gpu->latency[SG_LATENCY_L1] + lines - 1);
}

/* ---- blocks and barriers --------------------------------------------------------------------- */

bool sg_trace_block(sg_trace *t, sg_block *b) {
    uint64_t wanted = t->n_blocks < TRACED_BLOCKS ? t->n_blocks : TRACED_BLOCKS;
    uint64_t k = wanted > 1 ? b->id * (wanted - 1) / (t->n_blocks - 1) : 0;
    bool close =
        wanted <= 1 ? b->id == 0 : b->id == (k * (t->n_blocks - 1) + wanted - 2) / (wanted - 1);
    for (uint32_t i = 0; i < b->n_warps; i++) {
        sg_warp *w = &b->warps[i];
        if (!w->trace && !(w->trace = calloc(1, sizeof *w->trace)))
            return false;
        sg_trace_warp *mine = w->trace;
        *mine = (sg_trace_warp){.close = close,
                                .ready = mine->ready,
                                .room = mine->room,
                                .noted = mine->noted,
                                .slots = mine->slots};
    }
    t->current = t->current == b ? NULL : t->current;
    return close;
}

void sg_trace_block_ends(sg_trace *t, sg_block *b) {
    uint32_t chain = 0;
    if (!b->warps[0].trace || !b->warps[0].trace->close)
        return;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        finish(t, b->warps[k].trace);
        chain = latest(chain, now(b->warps[k].trace));
    }
    t->traced++;
    t->chains += chain;
    t->sum.longest_chain = fmax(t->sum.longest_chain, chain);
}

void sg_trace_warp_free(sg_trace_warp *w) {
    if (w) {
        free(w->ready);
        free(w->noted);
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
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (waits(&b->warps[k], id))
            b->warps[k].trace->clock = clock + t->gpu->latency[SG_LATENCY_BARRIER];
}
