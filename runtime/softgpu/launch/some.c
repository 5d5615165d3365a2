/* some.c: the blocks that a check covers if checking all would take too long (SG_SOME). These are
 * first and last blocks, and groups of neighbours, which share the data between them. The seed
 * picks the groups, so a submission cannot predict them. They run first, on one thread. */
#include "runtime/softgpu/launch/launch.h"

enum { EDGE = 2, GROUP = 4, GROUPS = 9, MOST = 2 * EDGE + GROUP * GROUPS };

struct sg_some {
    uint64_t n_blocks;
    uint32_t n;
    uint64_t blocks[MOST]; /* in ascending order */
};

/* Draws by splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
 * 2014). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

sg_some *sg_some_new(uint64_t n_blocks, uint64_t seed) {
    sg_some *s = n_blocks > MOST ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    uint64_t all[MOST], n = 0;
    for (uint64_t k = 0; k < EDGE; k++) {
        all[n++] = k;
        all[n++] = n_blocks - 1 - k;
    }
    for (int g = 0; g < GROUPS; g++) {
        uint64_t first = draw(&seed) % (n_blocks - GROUP + 1);
        for (uint64_t k = 0; k < GROUP; k++)
            all[n++] = first + k;
    }
    qsort(all, n, sizeof all[0], sg_by_number);
    s->n_blocks = n_blocks;
    for (uint64_t k = 0; k < n; k++)
        if (!s->n || all[k] != s->blocks[s->n - 1])
            s->blocks[s->n++] = all[k];
    return s;
}

uint64_t sg_some_count(const sg_some *s) {
    return s->n;
}

uint64_t sg_some_block(const sg_some *s, uint64_t k) {
    if (k < s->n)
        return s->blocks[k];
    uint64_t block = k - s->n; /* the k-th of the others */
    for (uint32_t i = 0; i < s->n && s->blocks[i] <= block; i++)
        block++;
    return block;
}
