/* shares.c: see shares.h. Work in the traced blocks is added up by place (file and line). At the
 * end the launch's traits, which cover all blocks, are divided in the same proportions. */
#include "runtime/softgpu/watch/trace/shares.h"

typedef struct repeated { /* a segment, by its op */
    const sg_segment *segment;
    double times, turns; /* executions; clocks that warps waited for their turn */
} repeated;

typedef struct asked { /* an instruction's requests to L2, by its op */
    double reads;
    uint32_t place;
} asked;

typedef struct cost { /* of a place */
    sg_traits did;    /* busiest_address: atomic operations, by lane */
    double waits[SG_WAITS];
} cost;

struct sg_shares {
    const sg_code *code;
    uint32_t n_ops;
    double weight;
    bool chained;
    sg_traits before; /* the sums before the current access */
    repeated *segments;
    asked *asked;
    cost *costs;
};

sg_shares *sg_shares_new(const sg_code *code, uint32_t n_ops) {
    sg_shares *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->code = code;
    s->n_ops = n_ops;
    s->weight = 1;
    s->chained = true;
    s->segments = calloc(n_ops + 1, sizeof *s->segments);
    s->asked = calloc(n_ops + 1, sizeof *s->asked);
    s->costs = calloc(code->n_places, sizeof *s->costs);
    if (s->segments && s->asked && s->costs)
        return s;
    sg_shares_free(s);
    return NULL;
}

void sg_shares_free(sg_shares *s) {
    if (!s)
        return;
    WB_FREE(s->segments, s->asked, s->costs, s);
}

void sg_shares_block(sg_shares *s, double weight, bool chained) {
    s->weight = weight;
    s->chained = chained;
}

void sg_shares_restart(sg_shares *s) {
    memset(s->segments, 0, s->n_ops * sizeof *s->segments);
    memset(s->asked, 0, s->n_ops * sizeof *s->asked);
    memset(s->costs, 0, s->code->n_places * sizeof *s->costs);
    sg_shares_block(s, 1, true);
}

void sg_shares_segment(sg_shares *s, uint32_t op, const sg_segment *segment) {
    s->segments[op].segment = segment;
    s->segments[op].times += s->weight;
}

void sg_shares_turn(sg_shares *s, uint32_t op, uint32_t clocks) {
    if (s->chained)
        s->segments[op].turns += s->weight * clocks;
}

void sg_shares_wait(sg_shares *s, uint32_t place, enum sg_wait why, uint32_t clocks) {
    if (s->chained)
        s->costs[place].waits[why] += s->weight * clocks;
}

void sg_shares_before(sg_shares *s, const sg_traits *did) {
    s->before = *did;
}

void sg_shares_access(sg_shares *s, uint32_t op, uint32_t place, enum sg_access access,
                      uint32_t lanes, const sg_traits *after) {
    const sg_traits *before = &s->before;
    sg_traits *did = &s->costs[place].did;
    double reads = after->l2_reads - before->l2_reads + after->l2_atomics - before->l2_atomics;
    did->l1_clocks += s->weight * (after->l1_clocks - before->l1_clocks);
    did->l1_requests += s->weight * (after->l1_requests - before->l1_requests);
    did->l2_reads += s->weight * (after->l2_reads - before->l2_reads);
    did->l2_writes += s->weight * (after->l2_writes - before->l2_writes);
    did->l2_partial_writes += s->weight * (after->l2_partial_writes - before->l2_partial_writes);
    did->l2_atomics += s->weight * (after->l2_atomics - before->l2_atomics);
    did->busiest_address += access == SG_ATOMIC ? s->weight * lanes : 0;
    s->asked[op].reads += s->weight * reads;
    s->asked[op].place = place;
}

void sg_shares_shared(sg_shares *s, uint32_t place, uint32_t wavefronts) {
    s->costs[place].did.shared_wavefronts += s->weight * wavefronts;
}

void sg_shares_constant(sg_shares *s, uint32_t place, uint32_t words) {
    s->costs[place].did.constant_words += s->weight * words;
}

void sg_shares_print(sg_shares *s, uint32_t place, uint32_t lanes) {
    s->costs[place].did.prints += s->weight;
    s->costs[place].did.printed += s->weight * lanes;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Adds what a segment's instructions need, and divides its waits for turns among them. */
static void add_segment(cost *costs, const repeated *r) {
    for (uint32_t k = 0; k < r->segment->n_steps; k++) {
        const sg_step *step = &r->segment->steps[k];
        cost *c = &costs[step->place];
        c->did.issued += r->times * step->slots;
        for (int p = 0; p < SG_PIPES; p++)
            c->did.pipes[p] += r->times * (double)step->pipes[p];
        if (r->segment->slots > 0)
            c->waits[SG_WAIT_TURN] += r->turns * step->slots / (double)r->segment->slots;
    }
}

/* Divides sectors of memory. Each instruction gets the reads that L2 missed for it. The rest was
 * read to fill partly written sectors. */
static void add_memory(const sg_shares *s, cost *costs, const sg_traits *all, const sg_seen *seen) {
    double known = 0, partial = 0;
    for (uint32_t k = 0; k < s->n_ops; k++) {
        double missed = seen[k].asked ? (double)seen[k].missed / (double)seen[k].asked : 0;
        costs[s->asked[k].place].did.dram_reads += s->asked[k].reads * missed;
        known += s->asked[k].reads * missed;
    }
    for (uint32_t k = 0; k < s->code->n_places; k++)
        partial += costs[k].did.l2_partial_writes;
    double left = all->dram_reads > known && partial > 0 ? (all->dram_reads - known) / partial : 0;
    for (uint32_t k = 0; k < s->code->n_places; k++) {
        sg_traits *did = &costs[k].did;
        did->dram_reads += left * did->l2_partial_writes;
        did->dram_writes = did->dirty = did->l2_writes + did->l2_atomics;
    }
}

static void add_chain(cost *c) {
    for (int k = 0; k < SG_WAITS; k++)
        c->did.chain += c->waits[k];
    c->did.longest_chain = c->did.chain;
    c->did.longest_prints = c->did.prints;
    c->did.busiest_queue = c->did.atomic_passes = c->did.atomic_words = c->did.atomic_meets =
        c->did.answered_passes = c->did.answered_words = c->did.busiest_address;
    c->did.atomic_fills = c->did.l2_atomics;
}

/* The places of the sums in sg_traits, counted in doubles. */
enum {
    FIRST_SUM = offsetof(sg_traits, issued) / sizeof(double),
    SUMS_END = sizeof(sg_traits) / sizeof(double)
};

static void add(sg_traits *sum, const sg_traits *did) {
    for (size_t k = FIRST_SUM; k < SUMS_END; k++)
        ((double *)sum)[k] += ((const double *)did)[k];
}

static double part(double all, double did, double sum) {
    return sum > 0 ? all * did / sum : 0;
}

static sg_traits part_of(const sg_traits *all, const sg_traits *did, const sg_traits *sum) {
    sg_traits p = {.blocks = 0};
    for (size_t k = FIRST_SUM; k < SUMS_END; k++)
        ((double *)&p)[k] =
            part(((const double *)all)[k], ((const double *)did)[k], ((const double *)sum)[k]);
    return p;
}

static uint32_t divide(const sg_shares *s, const cost *costs, const sg_traits *all,
                       sg_line_traits *out) {
    const sg_code *code = s->code;
    const ptx_loc *own = &code->kernel->function->loc;
    const char *file = own->line ? code->kernel->module->ptx->files[own->file] : NULL;
    sg_traits sum = {.blocks = 0};
    uint32_t n = 0;
    for (uint32_t k = 0; k < code->n_places; k++)
        add(&sum, &costs[k].did);
    for (uint32_t k = 1; k < code->n_places; k++) {
        const cost *c = &costs[k];
        if (c->did.issued == 0 && c->did.chain == 0)
            continue;
        sg_line_traits *line = &out[n++];
        *line = (sg_line_traits){.file = code->places[k].file,
                                 .line = code->places[k].line,
                                 .elsewhere = file && code->places[k].file != file,
                                 .part = part_of(all, &c->did, &sum)};
        for (int w = 0; w < SG_WAITS; w++)
            line->waits[w] = part(line->part.chain, c->waits[w], c->did.chain);
    }
    return n;
}

uint32_t sg_shares_report(const sg_shares *s, const sg_traits *all, const sg_seen *seen,
                          sg_line_traits **out) {
    uint32_t n = 0, places = s->code->n_places;
    cost *costs = malloc(places * sizeof *costs);
    *out = calloc(places, sizeof **out);
    if (costs && *out) {
        memcpy(costs, s->costs, places * sizeof *costs);
        for (uint32_t k = 0; k < s->n_ops; k++)
            if (s->segments[k].segment)
                add_segment(costs, &s->segments[k]);
        add_memory(s, costs, all, seen);
        for (uint32_t k = 0; k < places; k++)
            add_chain(&costs[k]);
        n = divide(s, costs, all, *out);
    }
    free(costs);
    return n;
}
