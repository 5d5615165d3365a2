/* spread.c: see spread.h. */
#include "runtime/softgpu/watch/trace/spread.h"

#define TRACED_BLOCKS 32
#define FEWEST 4    /* traced blocks before another one can count as unlike them */
#define FOLLOWS 4.0 /* largest ratio of the whole work to the work scaled up */
#define UNLIKE 2.5  /* a block with this ratio to the most work of a traced one does far more */

/* The second step of splitmix64. One multiplication would keep the period of blocks that work. */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Returns true for one block in each of TRACED_BLOCKS parts of the grid. The seed picks it, so a
 * submission cannot predict which. */
static bool evenly(const sg_spread *s, uint64_t id) {
    uint64_t wanted = s->n_blocks < TRACED_BLOCKS ? s->n_blocks : TRACED_BLOCKS;
    if (s->seed) {
        uint64_t k = id * wanted / s->n_blocks; /* from .. to - 1 are the k-th part */
        uint64_t from = (k * s->n_blocks + wanted - 1) / wanted;
        uint64_t to = ((k + 1) * s->n_blocks + wanted - 1) / wanted;
        return id == from + mixed(s->seed + k) % (to - from);
    }
    uint64_t k = wanted > 1 ? id * (wanted - 1) / (s->n_blocks - 1) : 0;
    return wanted <= 1 ? id == 0 : id == (k * (s->n_blocks - 1) + wanted - 2) / (wanted - 1);
}

bool sg_spread_has(const sg_spread *s, uint64_t block) {
    return evenly(s, block) || (s->missed && mixed(s->seed + block) & 1);
}

static bool far_more(const sg_work *work, const sg_work *than) {
    bool more = false;
    for (int k = 0; k < SG_WORKS; k++)
        more |= 1 + work->of[k] > UNLIKE * (1 + than->of[k]);
    return more;
}

void sg_spread_ends(sg_spread *s, const sg_work *work, bool close) {
    s->ended++;
    sg_work_add(&s->ran, work);
    if (!close) {
        s->missed |= s->close >= FEWEST && far_more(work, &s->most_close);
        return;
    }
    s->close++;
    sg_work_add(&s->ran_close, work);
    for (int k = 0; k < SG_WORKS; k++)
        if (work->of[k] > s->most_close.of[k])
            s->most_close.of[k] = work->of[k];
}

double sg_spread_beside(const sg_spread *s, int kind, bool *unseen) {
    double times = s->close ? (double)s->n_blocks / (double)s->close : 0;
    double follows = s->ran_close.of[kind] * times;
    if (s->ended < s->n_blocks || !(s->ran.of[kind] > 0))
        return 1;
    *unseen |= s->ran.of[kind] > FOLLOWS * follows;
    return follows > 0 ? s->ran.of[kind] / follows : 1;
}
