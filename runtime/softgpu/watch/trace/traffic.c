/* traffic.c: turns a warp's addresses into requests by line, and sends them through the caches. L1
 * belongs to one block. All blocks access L2, which follows one in 2^k of its lines (traffic.h). */
#include "runtime/softgpu/watch/trace/traffic.h"

#include <math.h>

#include "runtime/softgpu/watch/trace/cache.h"
#include "runtime/softgpu/watch/queue/banks.h"
#include "runtime/softgpu/watch/trace/sample.h"
#include "runtime/softgpu/watch/trace/trace.h"

#define SAMPLED_LINES (1u << 12) /* the fewest lines of the memory in use that L2 follows */

typedef struct request { /* a warp's request, by line */
    uint32_t n;
    uint64_t lowest, highest; /* of the lines */
    uint64_t line[2 * SG_LANES];
    uint32_t bytes[2 * SG_LANES][4]; /* a bit for each byte, by sector */
} request;

typedef struct together { /* stores of a warp that leave L1 together */
    request lines;
    uint32_t stores, warps;  /* warps: in the block */
    double sectors, partial; /* the same for separate stores */
} together;

typedef struct wanted { /* sectors that an instruction requests from L1; those that L1 misses */
    uint32_t all, passed;
} wanted;

struct sg_traffic {
    const sg_gpu *gpu;
    uint32_t shift; /* L2 follows one line in 2^shift */
    sg_cache *l1, *l2;
    sg_cache **apart; /* by slot; NULL: traced blocks run one after another */
    uint32_t n_slots;
    const sg_block *close; /* the block whose lines are in l1 */
    uint64_t n_close;      /* such blocks so far, without the sample's */
    sg_sample *sample;     /* the sample of the current block, or NULL */
    sg_seen *seen, all;    /* by op */
    wanted *wanted;        /* by op, in traced blocks */
    uint64_t drawn;        /* lines whose clocks were drawn */
    together together;     /* stores that have not left yet */
    sg_traits sum;
};

sg_traffic *sg_traffic_new(const sg_gpu *gpu, uint32_t n_ops, uint32_t slots) {
    sg_traffic *t = calloc(1, sizeof *t);
    size_t used = 0, total = 0;
    if (!t)
        return NULL;
    sg_mem_usage(&used, &total);
    t->gpu = gpu;
    while (t->shift < 10 && used / SG_LINE_BYTES >> (t->shift + 1) >= SAMPLED_LINES)
        t->shift++;
    t->l1 = sg_cache_new(gpu->l1_bytes, 1);
    t->l2 = sg_cache_new(gpu->l2_bytes >> t->shift, 2);
    t->seen = calloc(n_ops + 1, sizeof *t->seen);
    t->wanted = calloc(n_ops + 1, sizeof *t->wanted);
    t->apart = slots ? calloc(slots, sizeof(sg_cache *)) : NULL;
    t->n_slots = t->apart ? slots : 0;
    if (t->l1 && t->l2 && t->seen && t->wanted && t->n_slots == slots)
        return t;
    sg_traffic_free(t);
    return NULL;
}

void sg_traffic_free(sg_traffic *t) {
    if (!t)
        return;
    for (uint32_t k = 0; k < t->n_slots; k++)
        if (t->apart[k] != t->l1)
            sg_cache_free(t->apart[k]);
    free(t->apart);
    sg_cache_free(t->l1);
    sg_cache_free(t->l2);
    WB_FREE(t->seen, t->wanted, t);
}

void sg_traffic_sample(sg_traffic *t, sg_sample *sample) {
    t->sample = sample;
}

static void begin(request *q) {
    q->n = 0;
    q->lowest = UINT64_MAX;
    q->highest = 0;
}

/* Returns true if L2 follows the line. */
static bool sampled(const sg_traffic *t, uint64_t line) {
    return !(line * 0xd6e8feb86659fd93ull >> 32 & ((1u << t->shift) - 1));
}

/* Returns 1 + the line's index in the request, or 0 for a new line. Lines of a strided access are
 * all new. */
static uint32_t known(const request *q, uint64_t line) {
    uint32_t k = line < q->lowest || line > q->highest ? 0 : q->n;
    while (k && q->line[k - 1] != line)
        k--;
    return k;
}

static uint32_t begin_line(request *q, uint64_t line) {
    q->line[q->n] = line;
    memset(q->bytes[q->n], 0, sizeof q->bytes[0]);
    q->lowest = line < q->lowest ? line : q->lowest;
    q->highest = line > q->highest ? line : q->highest;
    return ++q->n;
}

/* Adds bytes from..from + n - 1 of a line. */
static void add_to_line(request *q, uint64_t line, uint32_t from, uint32_t n) {
    uint32_t k = known(q, line);
    if (!k && q->n == 2 * SG_LANES)
        return;
    if (!k)
        k = begin_line(q, line);
    while (n) {
        uint32_t in_sector = from % SG_SECTOR_BYTES, some = SG_SECTOR_BYTES - in_sector;
        some = some < n ? some : n;
        q->bytes[k - 1][from / SG_SECTOR_BYTES] |= (some == 32 ? UINT32_MAX : (1u << some) - 1)
                                                   << in_sector;
        from += some;
        n -= some;
    }
}

/* Adds bytes to a request. `all`: also in lines that L2 does not follow. */
static void add_bytes(const sg_traffic *t, request *q, uint64_t at, uint64_t bytes, bool all) {
    while (bytes) {
        uint32_t in_line = (uint32_t)(at % SG_LINE_BYTES), here = SG_LINE_BYTES - in_line;
        here = here < bytes ? here : (uint32_t)bytes;
        if (all || sampled(t, at / SG_LINE_BYTES))
            add_to_line(q, at / SG_LINE_BYTES, in_line, here);
        at += here;
        bytes -= here;
    }
}

static void request_of(const sg_traffic *t, request *q, const uint64_t *addresses, int64_t offset,
                       uint32_t mask, uint32_t bytes, bool row, bool all) {
    begin(q);
    if (row) {
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

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t sectors_of(const uint32_t bytes[4]) {
    uint32_t sectors = 0;
    for (uint32_t s = 0; s < 4; s++)
        sectors |= (uint32_t)(bytes[s] != 0) << s;
    return sectors;
}

/* Sends a request to L2. `passed` is the share of it that L1 misses. */
static void ask_l2(sg_traffic *t, sg_seen *seen, uint64_t line, const uint32_t bytes[4],
                   uint32_t sectors, bool writes, double passed) {
    if (!sampled(t, line))
        return;
    sg_cached c = writes ? sg_cache_write(t->l2, line, bytes) : sg_cache_read(t->l2, line, sectors);
    t->sum.dram_reads += c.missed + c.filled;
    t->sum.dram_writes += c.written;
    if (writes)
        return;
    seen->asked += passed * __builtin_popcount(sectors);
    seen->missed += c.missed;
    t->all.asked += passed * __builtin_popcount(sectors);
    t->all.missed += c.missed;
}

/* Returns the share of an instruction's sectors that L2 misses. */
static double missed_share(const sg_traffic *t, const sg_seen *seen) {
    const sg_seen *known = seen->asked > 0 ? seen : &t->all;
    double share = known->asked > 0 ? (double)known->missed / known->asked : 1;
    return share < 1 ? share : 1; /* sectors come in pairs, requested or not */
}

/* Returns the clocks of a load that misses L1: L2's latency, or the memory's for the share that L2
 * misses. */
static uint32_t beyond_l1(const sg_traffic *t, const sg_seen *seen) {
    const uint32_t *latency = t->gpu->latency;
    return (uint32_t)(latency[SG_LATENCY_L2] +
                      missed_share(t, seen) * (latency[SG_LATENCY_DRAM] - latency[SG_LATENCY_L2]));
}

/* Relative latencies of lines, a sixteenth of them each. Measured on an H200
 * (tests/gpu/results/micro, the spread). Four in ten lines from memory are behind the near half of
 * L2, and the last ones wait for a row of DRAM. One line in four of L2 is in the half far from the
 * multiprocessor. Other GPUs are assumed to be alike. */
static const float far_memory[16] = {0.74f, 0.77f, 0.78f, 0.80f, 0.82f, 0.84f, 0.94f, 0.99f,
                                     1.02f, 1.04f, 1.06f, 1.08f, 1.10f, 1.17f, 1.32f, 1.53f};
static const float far_l2[16] = {0.91f, 0.93f, 0.94f, 0.96f, 0.98f, 1.00f, 1.02f, 1.04f,
                                 1.06f, 1.08f, 1.10f, 1.16f, 1.50f, 1.60f, 1.65f, 1.72f};

/* Returns the next line's clocks. A request of many lines waits for the slowest. The draw uses a
 * count and no address, so a launch takes the same time wherever its arrays are. */
static uint32_t line_clocks(sg_traffic *t, double missed) {
    uint64_t h = ++t->drawn * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 31) * 0xd6e8feb86659fd93ull;
    bool memory = (double)(uint32_t)(h >> 8) < missed * 4294967296.0;
    const float *far = memory ? far_memory : far_l2;
    return (uint32_t)(far[h >> 60] *
                      (float)t->gpu->latency[memory ? SG_LATENCY_DRAM : SG_LATENCY_L2]);
}

/* Reports to the sample the sectors of a line that its block reads from L2 or sends there. */
static void tell(sg_traffic *t, uint32_t op, uint64_t line, uint32_t sectors,
                 const uint32_t *bytes) {
    for (uint32_t s = 0; t->sample && s < 4; s++)
        if (sectors >> s & 1)
            sg_sample_touch(t->sample, op, 4 * line + s, bytes ? bytes[s] : 0);
}

/* Returns the block's part of L1. */
static sg_cache *l1_of(sg_traffic *t, const sg_block *close) {
    if (!t->apart)
        return t->l1;
    sg_cache **own = &t->apart[close->slot];
    if (!*own && !(*own = sg_cache_new(t->gpu->l1_bytes, 1)))
        *own = t->l1; /* without memory, blocks share one */
    return *own;
}

/* Returns the share of an instruction's requests that L1 misses. Untraced blocks have no L1 of
 * their own, and are assumed to be like the traced ones. */
static double passed_share(const wanted *w) {
    return w->all ? (double)w->passed / (double)w->all : 1;
}

/* l1: the traced block's, else NULL. past: the load bypasses L1. */
static sg_taken load(sg_traffic *t, uint32_t op, const request *q, uint32_t clocks, sg_cache *l1,
                     bool past) {
    uint32_t missed = 0, slowest = 0;
    double share = l1 ? missed_share(t, &t->seen[op]) : 0;
    double passed = l1 ? 1 : passed_share(&t->wanted[op]);
    for (uint32_t k = 0; k < q->n; k++) {
        uint32_t sectors = sectors_of(q->bytes[k]);
        if (l1 && past) {
            missed += (uint32_t)__builtin_popcount(sectors);
            slowest = greater(slowest, line_clocks(t, share));
            tell(t, op, q->line[k], sectors, NULL);
        } else if (l1) {
            sg_cached c = sg_cache_read(l1, q->line[k], sectors);
            t->wanted[op].all += (uint32_t)__builtin_popcount(sectors);
            t->wanted[op].passed += c.missed;
            if (!c.missed)
                continue;
            missed += c.missed;
            slowest = greater(slowest, line_clocks(t, share));
            tell(t, op, q->line[k], c.fetched, NULL);
        }
        ask_l2(t, &t->seen[op], q->line[k], NULL, sectors, false, passed);
    }
    if (!l1)
        return (sg_taken){0, 0};
    t->sum.l2_reads += missed;
    uint32_t filled = (uint32_t)(missed / t->gpu->l2_sectors_per_clock);
    uint32_t latency = missed ? slowest + filled : t->gpu->latency[SG_LATENCY_L1];
    return (sg_taken){latency + clocks - 1, clocks > filled ? clocks : filled};
}

/* Returns true if a sector of the line is partly written. */
static bool in_parts(const uint32_t bytes[4]) {
    bool parts = false;
    for (uint32_t s = 0; s < 4; s++)
        parts |= bytes[s] && bytes[s] != UINT32_MAX;
    return parts;
}

/* Consecutive stores of a warp (the members of a structure) leave L1 together if they go to the
 * same lines. L2 then receives each sector once, and whole. A load's wait, a barrier, a fence or a
 * loop's turn ends this. Other warps' stores come between, and then some leave apart. That happens
 * more often with more lines, and with more warps at once, unless a load has spread the warps.
 * Measured on an H100 (results/micro, stores) with blocks of 1 to 32 warps and 2 to 16 words a
 * thread. Of three words hardly any leave apart, of five one in ten, of seven half, of eight
 * most. */
#define LINES_HALF 6.8    /* lines at which half leave apart */
#define LINES_STEEP 1.2   /* of a logistic curve, per line */
#define WARPS_DOUBLE 32.0 /* so many more warps count as twice the lines */

/* Returns the share of stores that leave apart. */
static double apart_share(const together *all) {
    double lines = all->lines.n * (1 + (all->warps - 1) / WARPS_DOUBLE);
    return 1 / (1 + exp(-LINES_STEEP * (lines - LINES_HALF)));
}

/* Sends the pending stores to L2. */
static void leave(sg_traffic *t) {
    together *all = &t->together;
    double n = 0, partial = 0, apart = apart_share(all);
    for (uint32_t k = 0; k < all->lines.n; k++) {
        n += __builtin_popcount(sectors_of(all->lines.bytes[k]));
        partial += in_parts(all->lines.bytes[k]);
    }
    n += apart * (all->sectors - n);
    t->sum.l2_writes += n;
    t->sum.l2_joined += all->sectors - n;
    t->sum.l2_partial_writes += partial + apart * (all->partial - partial);
    all->stores = 0;
}

static void join(sg_traffic *t, const request *q, uint32_t warps, double sectors, double partial) {
    together *all = &t->together;
    if (!all->stores) {
        begin(&all->lines);
        all->sectors = all->partial = 0;
        all->warps = warps;
    }
    for (uint32_t k = 0; k < q->n; k++) {
        uint32_t at = known(&all->lines, q->line[k]);
        at = at ? at : begin_line(&all->lines, q->line[k]);
        for (uint32_t s = 0; s < 4; s++)
            all->lines.bytes[at - 1][s] |= q->bytes[k][s];
    }
    all->stores++;
    all->sectors += sectors;
    all->partial += partial;
}

/* Returns true if the request's lines might not fit. */
static bool is_full(const together *all, const request *q) {
    return all->lines.n + q->n > 2 * SG_LANES;
}

/* Stores a request. L2 joins the parts of a line within one request. On an H200 a line took 14 to
 * 16 ps if a warp wrote one word in each of 32 lines, and 28 ps if words 28 bytes apart were in all
 * four sectors.
 */
static void store(sg_traffic *t, uint32_t op, const request *q, const sg_block *close, bool atomic,
                  uint32_t joins) {
    uint32_t n = 0, partial = 0;
    for (uint32_t k = 0; k < q->n; k++) {
        uint32_t sectors = sectors_of(q->bytes[k]);
        partial += in_parts(q->bytes[k]);
        n += (uint32_t)__builtin_popcount(sectors);
        if (close && atomic)
            tell(t, op, q->line[k], sectors, NULL);
        if (close)
            tell(t, op, q->line[k], sectors, q->bytes[k]);
        if (atomic)
            ask_l2(t, &t->seen[op], q->line[k], NULL, sectors, false, 1);
        ask_l2(t, &t->seen[op], q->line[k], q->bytes[k], 0, true, 1);
    }
    if (!close)
        return;
    if (atomic) {
        t->sum.l2_atomics += n;
        return;
    }
    if (!t->together.stores && !(joins & SG_JOINS_NEXT)) { /* it leaves alone */
        t->sum.l2_writes += n;
        t->sum.l2_partial_writes += partial;
        return;
    }
    if (t->together.stores && (!(joins & SG_JOINS_LAST) || is_full(&t->together, q)))
        leave(t);
    join(t, q, joins & SG_JOINS_SPREAD ? 1 : close->n_warps, n, partial);
    if (!(joins & SG_JOINS_NEXT))
        leave(t);
}

/* Returns the clocks that the request occupies L1: it looks up some lines per clock, and its data
 * has banks as in shared memory. */
static uint32_t in_l1(const sg_traffic *t, const request *q, const uint64_t *addresses,
                      int64_t offset, uint32_t mask, uint32_t bytes) {
    uint32_t low[SG_LANES], lines = (uint32_t)(q->n / t->gpu->l1_lines_per_clock + 0.5);
    for (uint32_t i = 0; i < SG_LANES; i++)
        low[i] = (uint32_t)addresses[i];
    uint32_t passes = sg_wavefronts(low, offset, mask, bytes, false);
    return lines > passes ? lines : passes;
}

/* Selects the block's L1. A block finds there what the previous block on its multiprocessor left.
 * The model uses what the last traced block left. That block is far away, so they share only data
 * that all blocks use. The first block finds it empty. So do the sample's, whose sectors all
 * count. */
static void enter_l1(sg_traffic *t, const sg_block *block) {
    if (t->apart || t->close == block)
        return;
    uint64_t each = t->gpu->blocks_each ? t->gpu->blocks_each : 1;
    if (t->sample || t->n_close++ % each == 0)
        sg_cache_empty(t->l1);
    t->close = block;
}

sg_taken sg_traffic_access(sg_traffic *t, const sg_block *close, uint32_t op, enum sg_access access,
                           const uint64_t *addresses, int64_t offset, uint32_t mask, uint32_t bytes,
                           bool row, bool past, uint32_t joins) {
    request q;
    request_of(t, &q, addresses, offset, mask, bytes, row, close);
    if (close)
        enter_l1(t, close);
    uint32_t clocks = close ? in_l1(t, &q, addresses, offset, mask, bytes) : 0;
    if (close && clocks > 1)
        t->sum.l1_clocks += clocks;
    else if (close)
        t->sum.l1_requests++;
    if (access == SG_READ)
        return load(t, op, &q, clocks, close ? l1_of(t, close) : NULL, past);
    store(t, op, &q, close, access == SG_ATOMIC, joins);
    bool waits = access == SG_ATOMIC && close;
    return (sg_taken){waits ? t->gpu->latency[SG_LATENCY_ATOMIC] + clocks - 1 : 0, clocks};
}

uint32_t sg_traffic_copy(sg_traffic *t, const sg_block *close, uint32_t op, enum sg_access access,
                         uint64_t address, uint32_t bytes) {
    while (bytes) { /* as many lines as fit in a request */
        uint32_t most = SG_LANES * SG_LINE_BYTES - (uint32_t)(address % SG_LINE_BYTES);
        uint32_t some = bytes < most ? bytes : most;
        request q;
        begin(&q);
        add_bytes(t, &q, address, some, close);
        if (access == SG_READ)
            load(t, op, &q, 0, close ? t->l1 : NULL, true);
        else
            store(t, op, &q, close, false, 0);
        address += some;
        bytes -= some;
    }
    return beyond_l1(t, &t->seen[op]);
}

sg_taken sg_traffic_local(sg_traffic *t, uint32_t words) {
    t->sum.l1_clocks += words;
    return (sg_taken){t->gpu->latency[SG_LATENCY_L1] + words - 1, words};
}

void sg_traffic_ends(sg_traffic *t, const sg_block *b) {
    if (t->together.stores)
        leave(t);
    t->close = t->close == b ? NULL : t->close;
}

sg_seen *sg_traffic_seen(sg_traffic *t) {
    return t->seen;
}

const sg_traits *sg_traffic_sum(const sg_traffic *t) {
    return &t->sum;
}

void sg_traffic_restart(sg_traffic *t) {
    t->sum = (sg_traits){.dram_reads = t->sum.dram_reads, .dram_writes = t->sum.dram_writes};
}

void sg_traffic_report(const sg_traffic *t, sg_traits *sum) {
    double lines = (double)(1u << t->shift);
    sum->l1_clocks = t->sum.l1_clocks;
    sum->l1_requests = t->sum.l1_requests;
    sum->l2_reads = t->sum.l2_reads;
    sum->l2_writes = t->sum.l2_writes;
    sum->l2_joined = t->sum.l2_joined;
    sum->l2_partial_writes = t->sum.l2_partial_writes;
    sum->l2_atomics = t->sum.l2_atomics;
    sum->dram_reads = t->sum.dram_reads * lines;
    sum->dram_writes = t->sum.dram_writes * lines;
    sum->dirty = (double)sg_cache_dirty(t->l2) * lines;
}
