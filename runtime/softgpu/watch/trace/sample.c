/* sample.c: models a launch by some of its blocks (sample.h; README.md, "Which blocks are traced").
 * Blocks at the same ends of the same dimensions form a class. The first members are at fixed
 * places, and measure the moves. The seed draws further members of each class. A drawn member
 * represents the blocks of its class with the nearest amount of work, scaled by that work. */
#include "runtime/softgpu/watch/trace/sample.h"

#include <math.h>

#include "runtime/base/scoped.h"
#include "runtime/softgpu/watch/trace/trace.h"

#define FEWEST_BLOCKS 64 /* in a sampled grid */
#define DRAWN 12         /* blocks anywhere in the grid, then one for each class without one */
#define MOST_SAMPLED (4 + DRAWN + 27)
/* A block whose work differs from a member's by UNLIKE or more is unlike it. All such blocks may do
 * UNSEEN of the work. */
#define UNLIKE 2.5
#define UNSEEN 0.1
#define LONGER 4.0 /* limit for one such block, in units of the mean */
/* With SG_SAMPLE, this many other blocks run. More run while all have done less than LITTLE, or
 * less than twice the sample's work. Otherwise many blocks that return at once would hide a few
 * that work. */
#define FEWEST_OTHERS 32
#define MOST_OTHERS 512
#define LITTLE 1e6 /* instructions */
/* Bits of the near ends of the three dimensions. In a dimension of fewer than INSIDE blocks, the
 * first counts as inside, because the measurement needs two blocks inside. */
#define NEAR 3
#define CLASSES (1u << (NEAR + 3))
#define INSIDE 5
#define MOST_TOUCHES (1u << 25)
/* Tolerance for where a block's instruction begins: sectors, or a share of the span. */
#define SECTORS_OFF 2.0
#define SPAN_OFF 0.03
/* An instruction with less than this share of a block's touches is not checked. */
#define MINOR 0.02
/* Tolerance between blocks: touches of an instruction, all instructions, prints. */
#define ALIKE 0.35

typedef struct span { /* the touches of one instruction of a block */
    uint64_t first, last;
    uint32_t n;
} span;

typedef struct member {
    uint64_t id;
    uint32_t at[3], ends; /* a bit for each dimension where it is last, or (NEAR) first */
    bool drawn, chained;  /* the seed drew it, so it represents others; its chain counts */
    sg_traits did;
    sg_work work, all; /* its own work; plus that of the blocks it represents */
    double blocks;     /* blocks it represents among those that ran */
    span *spans;       /* by op */
} member;

struct sg_sample {
    const sg_gpu *gpu;
    uint32_t grid[3], n_ops;
    uint64_t n_blocks;
    member members[MOST_SAMPLED];
    uint32_t n, n_far; /* members: the first keeps all touches, the next n_far measure the moves */
    uint32_t n_ended;
    sg_work ran, unseen;     /* work of all blocks that ran; of those unlike any member */
    double sampled, longest; /* instructions of all members; of the longest unlike block */
    pthread_mutex_t lock;    /* guards members while other blocks run */
    member *now;
    uint64_t sorted[MOST_SAMPLED];
    sg_touch *touches;
    size_t n_touches;
    double (*moves)[3];
    bool lost, replayed; /* out of memory; L2's part is known */
    sg_replayed below;
};

/* ---- choosing blocks ----------------------------------------------------------------------- */

static bool has_near_end(const sg_sample *s, int d) {
    return s->grid[d] >= INSIDE;
}

static void find_place(const sg_sample *s, uint64_t id, member *m) {
    m->id = id;
    for (int d = 0; d < 3; id /= s->grid[d++]) {
        m->at[d] = (uint32_t)(id % s->grid[d]);
        m->ends |= (uint32_t)(s->grid[d] > 1 && m->at[d] == s->grid[d] - 1) << d;
        m->ends |= (uint32_t)(has_near_end(s, d) && m->at[d] == 0) << (NEAR + d);
    }
}

static void add(sg_sample *s, const uint32_t at[3], bool drawn) {
    uint64_t id = ((uint64_t)at[2] * s->grid[1] + at[1]) * s->grid[0] + at[0];
    uint32_t k = 0;
    while (k < s->n && s->members[k].id != id)
        k++;
    s->members[k].drawn |= drawn;
    if (k < s->n)
        return;
    s->n++;
    find_place(s, id, &s->members[k]);
    for (; k && s->sorted[k - 1] > id; k--)
        s->sorted[k] = s->sorted[k - 1];
    s->sorted[k] = id;
}

static uint32_t draw(uint64_t *seed, uint32_t n) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((*seed >> 32) * n >> 32);
}

/* Returns how many blocks of the grid are at exactly these ends. */
static double class_blocks(const sg_sample *s, uint32_t ends) {
    double n = 1;
    for (int d = 0; d < 3; d++) {
        uint32_t last = ends >> d & 1, first = ends >> (NEAR + d) & 1, far = s->grid[d] > 1;
        n *= last    ? far && !first
             : first ? has_near_end(s, d)
                     : s->grid[d] - far - has_near_end(s, d);
    }
    return n;
}

static uint32_t members_like(const sg_sample *s, uint32_t ends, bool drawn) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n; k++)
        n += s->members[k].ends == ends && (s->members[k].drawn || !drawn);
    return n;
}

static void draw_from_class(sg_sample *s, uint32_t ends, uint64_t *seed) {
    uint32_t at[3];
    for (int d = 0; d < 3; d++) {
        uint32_t near = has_near_end(s, d), inside = s->grid[d] - near - (s->grid[d] > 1);
        at[d] = ends >> d & 1            ? s->grid[d] - 1
                : ends >> (NEAR + d) & 1 ? 0
                                         : near + draw(seed, inside);
    }
    add(s, at, true);
}

static void choose(sg_sample *s) {
    uint32_t at[3];
    uint64_t seed = s->n_blocks ^ s->gpu->seed; /* a repeated launch has the same sample */
    for (int d = 0; d < 3; d++)
        at[d] = (s->grid[d] - 1) / 2;
    add(s, at, false);
    for (int d = 0; d < 3; d++) {
        uint32_t mid = at[d];
        at[d] = has_near_end(s, d) ? 1 : s->grid[d] > 2 ? 0 : s->grid[d] - 1;
        add(s, at, false);
        at[d] = mid;
    }
    s->n_far = s->n - 1;
    for (int k = 0; k < DRAWN; k++) {
        for (int d = 0; d < 3; d++)
            at[d] = draw(&seed, s->grid[d]);
        add(s, at, true);
    }
    for (uint32_t ends = 0; ends < CLASSES; ends++)
        if (class_blocks(s, ends) > 0 && !members_like(s, ends, true))
            draw_from_class(s, ends, &seed);
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
    pthread_mutex_init(&s->lock, NULL);
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
    pthread_mutex_destroy(&s->lock);
    WB_FREE(s->moves, s->touches, s);
}

uint64_t sg_sample_block(const sg_sample *s, uint64_t k, bool drawn) {
    if (k < s->n)
        return s->members[k].id;
    if (drawn) {
        uint64_t z = (k ^ s->gpu->seed) * 0x9e3779b97f4a7c15ull;
        return ((z ^ z >> 31) * 0xd6e8feb86659fd93ull >> 16) % s->n_blocks;
    }
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

/* ---- work of a block ----------------------------------------------------------------------- */

/* Adds the traits of `one`, each kind of work scaled by its factor in `times`. */
static void add_traits(sg_traits *all, const sg_traits *one, const sg_work *times) {
    double issued = times->of[SG_WORK_ISSUED], memory = times->of[SG_WORK_MEMORY];
    all->issued += one->issued * issued;
    all->chain += one->chain * issued;
    for (int k = 0; k < SG_PIPES; k++)
        all->pipes[k] += one->pipes[k] * issued;
    all->l1_clocks += one->l1_clocks * memory;
    all->l1_requests += one->l1_requests * memory;
    all->shared_wavefronts += one->shared_wavefronts * times->of[SG_WORK_SHARED];
    all->constant_words += one->constant_words * issued;
    all->l2_reads += one->l2_reads * memory;
    all->l2_writes += one->l2_writes * memory;
    all->l2_joined += one->l2_joined * memory;
    all->l2_partial_writes += one->l2_partial_writes * memory;
    all->l2_atomics += one->l2_atomics * memory;
    all->prints += one->prints * issued;
    all->printed += one->printed * issued;
}

double sg_sample_begins(sg_sample *s, uint64_t block) {
    s->now = s->members;
    while (s->now->id != block)
        s->now++;
    return class_blocks(s, s->now->ends) / members_like(s, s->now->ends, false);
}

static void keep(sg_sample *s, sg_touch touch) {
    sg_touch *one = s->n_touches < MOST_TOUCHES ? WB_PUSH(s->touches, s->n_touches) : NULL;
    s->lost |= !one;
    if (one)
        *one = touch;
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

void sg_work_add(sg_work *all, const sg_work *one) {
    for (int k = 0; k < SG_WORKS; k++)
        all->of[k] += one->of[k];
}

void sg_sample_ends(sg_sample *s, const sg_traits *before, const sg_traits *after,
                    const sg_work *work) {
    static const sg_work less = {{-1, -1, -1}};
    member *m = s->now;
    m->did = *after;
    add_traits(&m->did, before, &less);
    m->work = m->all = *work;
    m->blocks = 1;
    m->chained = sg_sample_chains(s);
    sg_work_add(&s->ran, work);
    s->sampled = s->ran.of[SG_WORK_ISSUED];
    s->n_ended++;
}

/* Returns the largest ratio between two works, as a logarithm. */
static double apart(const sg_work *a, const sg_work *b) {
    double most = 0;
    for (int k = 0; k < SG_WORKS; k++)
        most = fmax(most, fabs(log((1 + a->of[k]) / (1 + b->of[k]))));
    return most;
}

void sg_sample_counts(sg_sample *s, uint64_t block, const sg_work *work) {
    member here = {.id = 0}, *nearest = NULL;
    double least = INFINITY;
    find_place(s, block, &here);
    for (uint32_t k = 0; k < s->n && least > 0; k++) {
        member *m = &s->members[(block + k) % s->n]; /* equally near members take turns */
        double far = m->drawn && m->ends == here.ends ? apart(&m->work, work) : INFINITY;
        nearest = far < least ? m : nearest;
        least = fmin(far, least);
    }
    WB_LOCKED(&s->lock);
    sg_work_add(&nearest->all, work);
    sg_work_add(&s->ran, work);
    nearest->blocks++;
    if (least > log(UNLIKE)) {
        sg_work_add(&s->unseen, work);
        s->longest = fmax(s->longest, work->of[SG_WORK_ISSUED]);
    }
}

bool sg_sample_enough(const sg_sample *s, uint64_t ran) {
    bool few = ran < s->n + FEWEST_OTHERS ||
               (ran < MOST_OTHERS && s->ran.of[SG_WORK_ISSUED] < fmax(LITTLE, 2 * s->sampled));
    return !few || ran + 1 >= s->n_blocks;
}

/* ---- checking the others ------------------------------------------------------------------- */

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

/* Returns true if the block's instructions touch what the first block's predict. */
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

bool sg_sample_holds(const sg_sample *s, enum sg_no_time *why) {
    double least = INFINITY, most = 0, silent = INFINITY, prints = 0;
    *why = SG_HAS_TIME;
    if (!sg_sample_done(s) || !s->replayed)
        *why = SG_MANY_WAYS;
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
            *why = SG_PLACELESS;
    }
    if (!*why && most - least > ALIKE * most)
        *why = SG_UNEVEN;
    if (!*why && prints - silent > ALIKE * prints)
        *why = SG_PRINTS_UNEVENLY;
    return *why == SG_HAS_TIME;
}

/* ---- adding up ----------------------------------------------------------------------------- */

bool sg_sample_chains(const sg_sample *s) {
    return s->n_ended > s->n_far;
}

/* Scales the operations on an address that all blocks share. An address of one block stays as it
 * is. */
static double busiest(const sg_sample *s, double one, double all) {
    return all > 1.5 * one ? all / s->n * (double)s->n_blocks : one;
}

/* Adds the work of the blocks that the member represents. Returns how many of its class these are,
 * scaled from the blocks that ran. */
static double add_member(const sg_sample *s, const member *m, sg_traits *all) {
    double ran = 0;
    sg_work times;
    for (uint32_t k = 0; k < s->n; k++)
        ran += s->members[k].ends == m->ends ? s->members[k].blocks : 0;
    double blocks = class_blocks(s, m->ends) * m->blocks / ran;
    for (int k = 0; k < SG_WORKS; k++)
        times.of[k] =
            m->work.of[k] > 0 ? blocks * (m->all.of[k] / m->blocks / m->work.of[k]) : blocks;
    add_traits(all, &m->did, &times);
    return blocks;
}

void sg_sample_report(const sg_sample *s, sg_traits *all) {
    static const sg_work once = {{1, 1, 1}};
    const sg_traits *first = &s->members[0].did, *last = &s->members[s->n - 1].did;
    double weights = 0, ran = 0, reads = 0, writes = 0, asked = 0;
    double known = (double)s->n_touches * (double)s->n_blocks;
    *all = (sg_traits){.traced = s->n, .no_time = all->no_time};
    for (const member *m = s->members; m < s->members + s->n; m++) {
        sg_traits part = {.traced = 0};
        double blocks = add_member(s, m, &part);
        part.chain = m->chained ? part.chain : 0;
        add_traits(all, &part, &once);
        weights += m->chained ? blocks : 0;
        ran += m->blocks;
        all->longest_chain = fmax(all->longest_chain, m->chained ? m->did.chain : 0);
        /* The first block shows which lines blocks share. This holds for blocks with about as many
         * accesses. */
        bool alike = m->work.of[SG_WORK_MEMORY] <= UNLIKE * s->members[0].work.of[SG_WORK_MEMORY];
        double here = part.l2_reads + part.l2_atomics, there = part.l2_writes + part.l2_atomics;
        asked += alike ? here + there + part.l2_joined : 0;
        reads += alike ? 0 : here;
        writes += alike ? 0 : there;
    }
    double unseen = s->unseen.of[SG_WORK_MEMORY] + s->unseen.of[SG_WORK_SHARED];
    if (s->unseen.of[SG_WORK_ISSUED] > UNSEEN * s->ran.of[SG_WORK_ISSUED] ||
        unseen > UNSEEN * (s->ran.of[SG_WORK_MEMORY] + s->ran.of[SG_WORK_SHARED]) ||
        s->longest > LONGER * s->ran.of[SG_WORK_ISSUED] / ran)
        all->no_time = SG_UNSEEN;
    all->chain /= weights;
    all->busiest_address = busiest(s, first->busiest_address, last->busiest_address);
    all->busiest_queue = busiest(s, first->busiest_queue, last->busiest_queue);
    double scale = known != 0 ? asked / known : 1; /* lines may be cut otherwise */
    all->dram_reads = reads + s->below.reads * scale;
    all->dram_writes = writes + s->below.writes * scale;
    all->dirty = s->below.dirty * scale;
}
