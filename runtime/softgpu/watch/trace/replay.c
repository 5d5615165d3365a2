/* replay.c: L2 under a whole grid (replay.h). The known block's accesses are cut into phases. All
 * blocks of a wave do the first phase, then all do the second. So blocks that need the same data at
 * about the same time share it, as on a GPU. Touches are sorted by sector modulo 4 P, which finds
 * those in followed lines without visiting the others. */
#include "runtime/softgpu/watch/trace/replay.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/watch/trace/cache.h"

#define MAX_GROUPS 64 /* groups of instructions that move alike */
#define MAX_PHASES 32
#define LONGEST_REPLAY 5e5 /* touches of followed lines */
#define MOST_LOOKUPS 6e6   /* of a block, a phase and a group */
#define FEWEST_LINES 2048  /* lines of L2 that are followed */
#define SECTORS_A_LINE (SG_LINE_BYTES / SG_SECTOR_BYTES)

typedef struct player {
    const sg_replay *r;
    sg_cache *l2;
    sg_seen *seen;
    uint32_t lines; /* P: one line in P is followed */
    uint32_t n_groups, n_phases, residues;
    double moves[MAX_GROUPS][3];
    uint8_t *group;   /* by op */
    uint32_t *starts; /* by phase, group and residue: index in `order` */
    uint32_t *order;  /* touches */
    int64_t *shifts;  /* by block of the wave, by group: sectors */
    sg_replayed sum;
} player;

static bool find_groups(player *p) {
    for (size_t k = 0; k < p->r->n_touches; k++) {
        uint32_t op = p->r->touches[k].op, g = 0;
        while (g < p->n_groups && memcmp(p->moves[g], p->r->moves[op], sizeof p->moves[g]) != 0)
            g++;
        if (g == MAX_GROUPS)
            return false;
        if (g == p->n_groups)
            memcpy(p->moves[p->n_groups++], p->r->moves[op], sizeof p->moves[g]);
        p->group[op] = (uint8_t)g;
    }
    return true;
}

static uint32_t place_of(const player *p, size_t k) {
    const sg_touch *t = &p->r->touches[k];
    uint32_t phase = (uint32_t)(k * p->n_phases / p->r->n_touches);
    return (phase * p->n_groups + p->group[t->op]) * p->residues +
           (uint32_t)(t->sector % p->residues);
}

/* Sorts by counting. The sort is stable, so the touches of one place stay in order. */
static bool sort(player *p) {
    size_t places = (size_t)p->n_phases * p->n_groups * p->residues;
    p->starts = calloc(places + 2, sizeof *p->starts);
    p->order = malloc(p->r->n_touches * sizeof *p->order);
    if (!p->starts || !p->order)
        return false;
    for (size_t k = 0; k < p->r->n_touches; k++)
        p->starts[place_of(p, k) + 2]++;
    for (size_t k = 2; k < places + 2; k++)
        p->starts[k] += p->starts[k - 1];
    for (size_t k = 0; k < p->r->n_touches; k++)
        p->order[p->starts[place_of(p, k) + 1]++] = (uint32_t)k;
    return true;
}

static void touch(player *p, const sg_touch *t, uint64_t sector) {
    uint64_t line = sector / SECTORS_A_LINE;
    uint32_t within = sector % SECTORS_A_LINE, bytes[SECTORS_A_LINE] = {0};
    bytes[within] = t->written;
    sg_cached c =
        t->written ? sg_cache_write(p->l2, line, bytes) : sg_cache_read(p->l2, line, 1u << within);
    p->sum.reads += c.missed + c.filled;
    p->sum.writes += c.written;
    if (t->written)
        return;
    p->seen[t->op].asked++;
    p->seen[t->op].missed += c.missed || c.coming; /* blocks in step wait for the same fetch */
}

/* Plays a group of a block's instructions in a phase: the sectors in followed lines (line % P ==
 * 0). */
static void play(player *p, uint32_t phase, uint32_t group, int64_t shift) {
    const uint32_t *starts = p->starts + (size_t)(phase * p->n_groups + group) * p->residues;
    int64_t n = p->residues, first = (n - shift % n) % n;
    for (uint32_t within = 0; within < SECTORS_A_LINE; within++) {
        uint32_t residue = (uint32_t)((first + within) % n);
        for (uint32_t k = starts[residue]; k < starts[residue + 1]; k++) {
            const sg_touch *t = &p->r->touches[p->order[k]];
            touch(p, t, t->sector + (uint64_t)shift);
        }
    }
}

static void shift_block(const player *p, uint64_t id, int64_t *shifts) {
    const uint32_t *grid = p->r->grid;
    uint64_t at[3] = {id % grid[0], id / grid[0] % grid[1], id / grid[0] / grid[1]};
    for (uint32_t g = 0; g < p->n_groups; g++) {
        double far = 0;
        for (int d = 0; d < 3; d++)
            far += p->moves[g][d] * ((double)at[d] - (double)p->r->base[d]);
        shifts[g] = llround(far);
    }
}

static void play_wave(player *p, uint64_t first, uint64_t n) {
    for (uint64_t b = 0; b < n; b++)
        shift_block(p, first + b, p->shifts + b * p->n_groups);
    for (uint32_t phase = 0; phase < p->n_phases; phase++) {
        sg_cache_mark(p->l2);
        for (uint64_t b = 0; b < n; b++)
            for (uint32_t g = 0; g < p->n_groups; g++)
                play(p, phase, g, p->shifts[b * p->n_groups + g]);
    }
}

/* Returns true if blocks are a multiple of `lines` lines apart. Then each block would show the same
 * part of its pattern in the followed lines, and its address would decide which. */
static bool in_step(const player *p, uint32_t lines) {
    for (uint32_t g = 0; g < p->n_groups; g++)
        for (int d = 0; d < 3; d++) {
            int64_t sectors = llround(p->moves[g][d]);
            if (sectors && sectors % lines == 0)
                return true;
        }
    return false;
}

/* Chooses P. Fewer followed lines are faster. P is a prime, the first of three that is in step with
 * no move. */
static uint32_t lines_of(const player *p, double blocks) {
    static const uint32_t primes[][3] = {
        {1, 1, 1},    {3, 5, 7},       {7, 11, 13},     {13, 17, 19},    {31, 29, 37},
        {61, 59, 67}, {127, 113, 131}, {251, 241, 257}, {509, 503, 521}, {1021, 1019, 1031}};
    double touches = (double)p->r->n_touches * blocks;
    double cached = (double)p->r->gpu->l2_bytes / SG_LINE_BYTES;
    uint32_t k = 0, i = 0;
    while (k + 1 < WB_COUNT(primes) && touches / primes[k][0] > LONGEST_REPLAY &&
           cached / primes[k + 1][0] >= FEWEST_LINES)
        k++;
    while (i < 3 && in_step(p, primes[k][i]))
        i++;
    return primes[k][i % 3];
}

static uint64_t wave_of(const sg_replay *r, uint64_t n_blocks) {
    return r->gpu->resident && r->gpu->resident < n_blocks ? r->gpu->resident : n_blocks;
}

/* Returns how many blocks to play. The rest behaves as the second half of them. */
static uint64_t played(const player *p, uint64_t n_blocks, uint64_t wave) {
    uint64_t most = (uint64_t)(MOST_LOOKUPS / (p->n_phases * p->n_groups));
    if (n_blocks <= most)
        return n_blocks;
    uint64_t waves = most / wave;
    return wave * (waves < 4 ? 4 : waves & ~1ull);
}

static void play_grid(player *p, uint64_t n_blocks, sg_replayed *out) {
    uint64_t wave = wave_of(p->r, n_blocks), end = played(p, n_blocks, wave);
    sg_replayed half = {0};
    end = end < n_blocks ? end : n_blocks;
    for (uint64_t first = 0; first < end; first += wave) {
        if (first == end / 2)
            half = p->sum;
        play_wave(p, first, end - first < wave ? end - first : wave);
    }
    double rest = end < n_blocks ? (double)(n_blocks - end) / (double)(end - end / 2) : 0;
    out->reads = p->lines * (p->sum.reads + rest * (p->sum.reads - half.reads));
    out->writes = p->lines * (p->sum.writes + rest * (p->sum.writes - half.writes));
    out->dirty = p->lines * (double)sg_cache_dirty(p->l2);
}

bool sg_replay_run(const sg_replay *r, sg_seen *seen, sg_replayed *out) {
    uint64_t n_blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    player p = {.r = r, .seen = seen};
    bool ok = false;
    *out = (sg_replayed){0};
    if (!r->n_touches)
        return true;
    p.n_phases = r->n_touches / 8 + 1 < MAX_PHASES ? (uint32_t)(r->n_touches / 8 + 1) : MAX_PHASES;
    p.group = calloc(r->n_ops, 1);
    if (p.group && find_groups(&p)) {
        uint64_t wave = wave_of(r, n_blocks), most = played(&p, n_blocks, wave);
        p.lines = lines_of(&p, (double)most);
        p.residues = p.lines * SECTORS_A_LINE;
        p.l2 = sg_cache_new(r->gpu->l2_bytes / p.lines, 2);
        p.shifts = calloc(wave * p.n_groups, sizeof *p.shifts);
        ok = p.l2 && p.shifts && sort(&p);
    }
    if (ok)
        play_grid(&p, n_blocks, out);
    sg_cache_free(p.l2);
    WB_FREE(p.group, p.starts, p.order, p.shifts);
    return ok;
}
