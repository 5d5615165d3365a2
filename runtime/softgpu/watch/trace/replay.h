/* replay.h: a grid whose blocks do the same at different addresses. The accesses of one block, and
 * how far each moves from block to block, determine what L2 and the memory below see of all. */
#pragma once

#include "runtime/softgpu/engine.h"

/* A sector that a block reads from L2 or sends to it. */
typedef struct sg_touch {
    uint64_t sector; /* address / 32 */
    uint32_t op;
    uint32_t written; /* a bit for each byte; 0: a read */
} sg_touch;

/* Sectors that an instruction requested from L2, and those that L2 missed. */
typedef struct sg_seen {
    double asked;
    uint32_t missed;
} sg_seen;

typedef struct sg_replay {
    const uint32_t *grid;
    const sg_gpu *gpu;
    uint32_t base[3];        /* the block whose accesses are known */
    const sg_touch *touches; /* in their order */
    size_t n_touches;
    const double (*moves)[3]; /* by op: sectors per step in each dimension of the grid */
    uint32_t n_ops;
} sg_replay;

/* Sectors of the whole grid. */
typedef struct sg_replayed {
    double reads, writes, dirty;
} sg_replayed;

/* Replays the grid in waves as large as the GPU, the blocks of a wave in step. If there are many
 * lines, it follows one in P, in an L2 of 1/P. Fills seen by op. Returns false if there is no
 * memory, or if the instructions move in too many ways. */
bool sg_replay_run(const sg_replay *r, sg_seen *seen, sg_replayed *out);
