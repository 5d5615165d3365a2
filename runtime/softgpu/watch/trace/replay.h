/* replay.h: a grid whose blocks all do the same, each somewhere else: what L2 and the memory below
 * see of all of them follows from the accesses of one, and from how far each moves from block to
 * block. */
#ifndef SOFTGPU_REPLAY_H
#define SOFTGPU_REPLAY_H

#include "runtime/softgpu/engine.h"

/* A sector that a block asks L2 for, or sends there. */
typedef struct sg_touch {
    uint64_t sector; /* address / 32 */
    uint32_t op;
    uint32_t written; /* its bytes, a bit each; 0: it is read */
} sg_touch;

/* What an instruction's requests found in L2: sectors. */
typedef struct sg_seen {
    double asked;
    uint32_t missed;
} sg_seen;

typedef struct sg_replay {
    const uint32_t *grid;
    const sg_gpu *gpu;
    uint32_t base[3];        /* the block whose accesses are known, */
    const sg_touch *touches; /* in their order */
    size_t n_touches;
    const double (*moves)[3]; /* by op: sectors for a step in each dimension of the grid */
    uint32_t n_ops;
} sg_replay;

/* Sectors, of the whole grid. */
typedef struct sg_replayed {
    double reads, writes, dirty;
} sg_replayed;

/* Blocks in waves as large as the GPU, those of a wave in step with each other; one line in P is
 * followed, in an L2 of 1/P, where there are many. seen is filled by op. False: no memory, or the
 * instructions move in too many ways. */
bool sg_replay_run(const sg_replay *r, sg_seen *seen, sg_replayed *out);

#endif
