/* sample.c: a launch by some of its blocks (sample.h). Blocks at the far end of a dimension may be
 * ragged, and those at the near end have no neighbours there (a halo is clamped, or zeros): each
 * block of the sample stands for those that are at the same ends of the same dimensions. How far an
 * instruction moves with the block is measured between two blocks inside that are far apart, in
 * each dimension, by the first sector that it touches; the other blocks inside that are in the
 * sample must then begin and end where that says. */
#include "runtime/softgpu/watch/trace/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_BLOCKS 64 /* of a grid that is sampled */
#define MOST_SAMPLED 24
#define DRAWN 6 /* blocks somewhere in the grid */
/* The near end of a dimension: this bit of its three; where a dimension has fewer blocks than
 * INSIDE, the first is as one inside, since two that are not are needed to measure by. */
#define NEAR 3
#define INSIDE 5
#define MOST_TOUCHES (1u << 25)
/* A block's instruction may begin this many sectors off, or this share of all that it spans. */
#define SECTORS_OFF 2.0
#define SPAN_OFF 0.03
/* Instructions of less than this share of a block's touches may do as they like; */
#define MINOR 0.02
/* and blocks may differ so much in how many instructions they have. */
#define ALIKE 0.35

typedef struct span { /* what an instruction of a block touches */
    uint64_t first, last;
    uint32_t n;
} span;

typedef struct member {
    uint64_t id;
    uint32_t at[3], ends; /* a bit for each dimension in which it is the last, or (NEAR) first */
    sg_traits did;
    uint64_t instructions; /* of PTX */
    bool chained;          /* its chain counts */
    span *spans;           /* by op */
} member;

struct sg_sample {
    const sg_gpu *gpu;
    uint32_t grid[3], n_ops;
    uint64_t n_blocks;
    member members[MOST_SAMPLED];
    uint32_t n, n_far; /* members; the first is known wholly, n_far behind it tell the moves */
    uint32_t n_ended;
    member *now;
    uint64_t sorted[MOST_SAMPLED];
    sg_touch *touches;
    size_t n_touches, room;
    double (*moves)[3];
    bool lost, replayed; /* memory ran out; L2's part is known */
    sg_replayed below;
};

/* ---- the choice ------------------------------------------------------------------------------ */

static bool has_near_end(const sg_sample *s, int d) {
    return s->grid[d] >= INSIDE;
}

static void add(sg_sample *s, uint32_t x, uint32_t y, uint32_t z) {
    uint64_t id = ((uint64_t)z * s->grid[1] + y) * s->grid[0] + x;
    if (s->n == MOST_SAMPLED || sg_sample_has(s, id))
        return;
    member *m = &s->members[s->n];
    *m = (member){.id = id, .at = {x, y, z}};
    for (int d = 0; d < 3; d++) {
        m->ends |= (uint32_t)(s->grid[d] > 1 && m->at[d] == s->grid[d] - 1) << d;
        m->ends |= (uint32_t)(has_near_end(s, d) && m->at[d] == 0) << (NEAR + d);
    }
    uint32_t k = s->n++;
    for (; k && s->sorted[k - 1] > id; k--)
        s->sorted[k] = s->sorted[k - 1];
    s->sorted[k] = id;
}

static uint32_t draw(uint64_t *seed, uint32_t n) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((*seed >> 32) * n >> 32);
}

static void choose(sg_sample *s) {
    uint32_t mid[3], last[3], before[3];
    uint64_t seed = s->n_blocks ^ s->gpu->seed; /* the same launch has the same sample */
    for (int d = 0; d < 3; d++) {
        last[d] = s->grid[d] - 1;
        mid[d] = last[d] / 2;
        before[d] = last[d] ? last[d] - 1 : 0;
    }
    add(s, mid[0], mid[1], mid[2]);
    for (int d = 0; d < 3; d++) {
        uint32_t far[3] = {mid[0], mid[1], mid[2]};
        far[d] = has_near_end(s, d) ? 1 : s->grid[d] > 2 ? 0 : last[d];
        add(s, far[0], far[1], far[2]);
    }
    s->n_far = s->n - 1;
    add(s, 0, 0, 0);
    add(s, before[0], before[1], before[2]);
    add(s, last[0], last[1], last[2]);
    add(s, last[0], mid[1], mid[2]);
    add(s, mid[0], last[1], mid[2]);
    add(s, mid[0], mid[1], last[2]);
    add(s, 0, mid[1], mid[2]);
    add(s, mid[0], 0, mid[2]);
    add(s, mid[0], mid[1], 0);
    for (int k = 0; k < DRAWN; k++)
        add(s, draw(&seed, s->grid[0]), draw(&seed, s->grid[1]), draw(&seed, s->grid[2]));
}

sg_sample *sg_sample_new(const sg_launch *l, uint32_t n_ops) {
    uint64_t n_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    sg_sample *s = n_blocks < FEWEST_BLOCKS ? NULL : calloc(1, sizeof *s);
    if (!s)
        return NULL;
    memcpy(s->grid, l->grid, sizeof s->grid);
    s->gpu = l->gpu;
    s->n_ops = n_ops;
    s->n_blocks = n_blocks;
    choose(s);
    bool ok = (s->moves = calloc(n_ops + 1, sizeof *s->moves)) != NULL;
    for (uint32_t k = 0; k < s->n; k++)
        ok &= (s->members[k].spans = calloc(n_ops + 1, sizeof(span))) != NULL;
    if (ok)
        return s;
    sg_sample_free(s);
    return NULL;
}

void sg_sample_free(sg_sample *s) {
    if (!s)
        return;
    for (uint32_t k = 0; k < s->n; k++)
        free(s->members[k].spans);
    WB_FREE(s->moves, s->touches, s);
}

uint64_t sg_sample_block(const sg_sample *s, uint64_t k) {
    if (k < s->n)
        return s->members[k].id;
    k -= s->n;
    for (uint32_t i = 0; i < s->n && s->sorted[i] <= k; i++)
        k++;
    return k;
}

bool sg_sample_has(const sg_sample *s, uint64_t block) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->members[k].id == block)
            return true;
    return false;
}

/* ---- what they do ---------------------------------------------------------------------------- */

/* `one`, `times` / `of` times: multiplied first, so that whole numbers stay whole. */
static void add_traits(sg_traits *all, const sg_traits *one, double times, double of) {
    all->issued += one->issued * times / of;
    for (int k = 0; k < SG_PIPES; k++)
        all->pipes[k] += one->pipes[k] * times / of;
    all->l1_clocks += one->l1_clocks * times / of;
    all->l1_requests += one->l1_requests * times / of;
    all->shared_wavefronts += one->shared_wavefronts * times / of;
    all->constant_words += one->constant_words * times / of;
    all->l2_reads += one->l2_reads * times / of;
    all->l2_writes += one->l2_writes * times / of;
    all->l2_joined += one->l2_joined * times / of;
    all->l2_partial_writes += one->l2_partial_writes * times / of;
    all->l2_atomics += one->l2_atomics * times / of;
    all->prints += one->prints * times / of;
    all->printed += one->printed * times / of;
}

void sg_sample_begins(sg_sample *s, uint64_t block) {
    s->now = s->members;
    while (s->now->id != block)
        s->now++;
}

static void keep(sg_sample *s, sg_touch touch) {
    if (s->n_touches == s->room) {
        size_t room = s->room ? 2 * s->room : 4096;
        sg_touch *more = room > MOST_TOUCHES ? NULL : realloc(s->touches, room * sizeof *more);
        if (!more) {
            s->lost = true;
            return;
        }
        s->touches = more;
        s->room = room;
    }
    s->touches[s->n_touches++] = touch;
}

void sg_sample_touch(sg_sample *s, uint32_t op, uint64_t sector, uint32_t written) {
    span *span = &s->now->spans[op];
    if (!span->n++)
        span->first = span->last = sector;
    span->first = sector < span->first ? sector : span->first;
    span->last = sector > span->last ? sector : span->last;
    if (s->now == s->members)
        keep(s, (sg_touch){sector, op, written});
}

void sg_sample_ends(sg_sample *s, const sg_traits *before, const sg_traits *after,
                    uint64_t instructions) {
    sg_traits *did = &s->now->did;
    *did = *after;
    add_traits(did, before, -1, 1);
    s->now->instructions = instructions;
    s->now->chained = sg_sample_chains(s);
    s->n_ended++;
}

/* ---- the others ------------------------------------------------------------------------------ */

static void measure(sg_sample *s, uint32_t op) {
    const span *here = &s->members[0].spans[op];
    for (uint32_t k = 1; k <= s->n_far; k++) {
        const member *m = &s->members[k];
        const span *there = &m->spans[op];
        for (int d = 0; d < 3; d++) {
            double steps = (double)m->at[d] - (double)s->members[0].at[d];
            if (steps != 0 && there->n && here->n)
                s->moves[op][d] = ((double)there->first - (double)here->first) / steps;
        }
    }
}

void sg_sample_replays(sg_sample *s, sg_seen *seen) {
    if (s->replayed || s->lost || s->n_ended != s->n_far + 1)
        return;
    for (uint32_t op = 0; op < s->n_ops; op++)
        measure(s, op);
    sg_replay r = {.grid = s->grid,
                   .gpu = s->gpu,
                   .touches = s->touches,
                   .n_touches = s->n_touches,
                   .moves = (const double(*)[3])s->moves,
                   .n_ops = s->n_ops};
    memcpy(r.base, s->members[0].at, sizeof r.base);
    s->replayed = sg_replay_run(&r, seen, &s->below);
}

bool sg_sample_done(const sg_sample *s) {
    return s->n_ended == s->n;
}

/* Do the instructions of the block touch what follows from those of the first? */
static bool follows(const sg_sample *s, const member *m) {
    for (uint32_t op = 0; op < s->n_ops; op++) {
        const span *here = &s->members[0].spans[op], *there = &m->spans[op];
        double most = here->n > there->n ? here->n : there->n, moved = 0;
        double allowed = SECTORS_OFF + SPAN_OFF * (double)(here->last - here->first);
        if (most < MINOR * (double)s->n_touches)
            continue;
        if (fabs((double)here->n - (double)there->n) > fmax(SECTORS_OFF, ALIKE * most))
            return false;
        for (int d = 0; d < 3; d++)
            moved += s->moves[op][d] * ((double)m->at[d] - (double)s->members[0].at[d]);
        if (fabs((double)here->first + moved - (double)there->first) > allowed ||
            fabs((double)here->last + moved - (double)there->last) > allowed)
            return false;
    }
    return true;
}

bool sg_sample_holds(const sg_sample *s, const char **why) {
    double least = INFINITY, most = 0, silent = INFINITY, prints = 0;
    *why = NULL;
    if (!sg_sample_done(s) || !s->replayed)
        *why = "its instructions move from block to block in too many ways";
    for (uint32_t k = 0; k < s->n && !*why; k++) {
        const member *m = &s->members[k];
        if (m->ends & ((1u << NEAR) - 1))
            continue;
        least = fmin(least, m->did.issued);
        most = fmax(most, m->did.issued);
        if (m->ends)
            continue;
        silent = fmin(silent, m->did.prints);
        prints = fmax(prints, m->did.prints);
        if (!follows(s, m))
            *why = "what a block reads and writes does not follow from its place in the grid";
    }
    if (!*why && most - least > ALIKE * most)
        *why = "its blocks have more or less to do";
    if (!*why && prints - silent > ALIKE * prints)
        *why = "its blocks print more or less";
    return *why == NULL;
}

/* ---- the sum --------------------------------------------------------------------------------- */

/* Blocks of the grid that are at just these ends. */
static double like(const sg_sample *s, uint32_t ends) {
    double n = 1;
    for (int d = 0; d < 3; d++) {
        bool at_end = (ends >> d | ends >> (NEAR + d)) & 1;
        n *= s->grid[d] > 1 && !at_end ? s->grid[d] - 1.0 - has_near_end(s, d) : 1;
    }
    return n;
}

static uint32_t members_like(const sg_sample *s, uint32_t ends) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n; k++)
        n += s->members[k].ends == ends;
    return n;
}

/* The blocks that members at these ends stand for: a kind that no member is of counts as blocks
 * inside the grid. */
static double stand_for(const sg_sample *s, uint32_t ends) {
    if (ends)
        return like(s, ends);
    double blocks = (double)s->n_blocks;
    for (uint32_t k = 1; k < 1u << (NEAR + 3); k++)
        if (members_like(s, k))
            blocks -= like(s, k);
    return blocks;
}

static double weight(const sg_sample *s, const member *m) {
    return stand_for(s, m->ends) / members_like(s, m->ends);
}

double sg_sample_weight(const sg_sample *s, uint64_t block) {
    const member *m = s->members;
    while (m->id != block)
        m++;
    return weight(s, m);
}

bool sg_sample_chains(const sg_sample *s) {
    return s->n_ended > s->n_far;
}

/* An address that all blocks meet at, or one of a block's own? */
static double busiest(const sg_sample *s, double one, double all) {
    return all > 1.5 * one ? all / s->n * (double)s->n_blocks : one;
}

/* What all blocks at these ends do; their instructions of PTX. */
static double add_kind(const sg_sample *s, uint32_t ends, sg_traits *all) {
    sg_traits members = {.traced = 0};
    double blocks = stand_for(s, ends), n = members_like(s, ends), instructions = 0;
    for (uint32_t k = 0; k < s->n; k++)
        if (s->members[k].ends == ends) {
            add_traits(&members, &s->members[k].did, 1, 1);
            instructions += (double)s->members[k].instructions;
        }
    if (n != 0)
        add_traits(all, &members, blocks, n);
    return n != 0 ? instructions * blocks / n : 0;
}

void sg_sample_report(const sg_sample *s, uint64_t instructions, sg_traits *all) {
    const char *unknown = all->unknown;
    double chains = 0, weights = 0, inferred = 0;
    *all = (sg_traits){.traced = s->n, .unknown = unknown};
    for (uint32_t ends = 0; ends < 1u << (NEAR + 3); ends++)
        inferred += add_kind(s, ends, all);
    for (uint32_t k = 0; k < s->n; k++) {
        const member *m = &s->members[k];
        double times = weight(s, m);
        if (m->chained) {
            chains += times * m->did.chain;
            weights += times;
            all->longest_chain = fmax(all->longest_chain, m->did.chain);
        }
    }
    double scale = instructions && inferred != 0 ? (double)instructions / inferred : 1;
    all->issued *= scale;
    for (int k = 0; k < SG_PIPES; k++)
        all->pipes[k] *= scale;
    all->chain = chains / weights;
    const sg_traits *first = &s->members[0].did, *last = &s->members[s->n - 1].did;
    all->busiest_address = busiest(s, first->busiest_address, last->busiest_address);
    all->busiest_queue = busiest(s, first->busiest_queue, last->busiest_queue);
    double known = (double)s->n_touches * (double)s->n_blocks;
    double asked = all->l2_reads + all->l2_writes + all->l2_joined + 2 * all->l2_atomics;
    scale = known != 0 ? asked / known : 1;
    all->dram_reads = s->below.reads * scale; /* the first block's lines may be cut otherwise */
    all->dram_writes = s->below.writes * scale;
    all->dirty = s->below.dirty * scale;
}
