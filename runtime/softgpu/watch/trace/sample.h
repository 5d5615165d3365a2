/* sample.h: models a launch by some of its blocks. Most grids' blocks do the same at different
 * addresses. The sample's blocks are traced, and the rest follows from them and from its own
 * work. */
#pragma once

#include "runtime/softgpu/watch/trace/replay.h"

typedef struct sg_sample sg_sample;

/* A block's work: PTX instructions, and its warps' accesses to memory and to shared memory. */
enum { SG_WORK_ISSUED, SG_WORK_MEMORY, SG_WORK_SHARED, SG_WORKS };
typedef struct sg_work {
    double of[SG_WORKS];
} sg_work;
void sg_work_add(sg_work *all, const sg_work *one);

/* Chooses a sample of the launch's blocks. n_ops is the number of instructions. Returns NULL if the
 * grid is too small or there is no memory. */
sg_sample *sg_sample_new(const sg_launch *launch, uint32_t n_ops);
void sg_sample_free(sg_sample *s);

/* Returns the k-th block to run: first the sample, then the others in order. If `drawn`, the others
 * are drawn at random, maybe twice. */
uint64_t sg_sample_block(const sg_sample *s, uint64_t k, bool drawn);
bool sg_sample_has(const sg_sample *s, uint64_t block);

/* Follow a block of the sample: it begins (returns how many blocks it represents), it reads a
 * sector from L2 or writes bytes of one, and it ends. `before` and `after` are the sums of all
 * blocks around it. */
double sg_sample_begins(sg_sample *s, uint64_t block);
void sg_sample_touch(sg_sample *s, uint32_t op, uint64_t sector, uint32_t written);
void sg_sample_ends(sg_sample *s, const sg_traits *before, const sg_traits *after,
                    const sg_work *work);
/* Records another finished block; from any thread. */
void sg_sample_counts(sg_sample *s, uint64_t block, const sg_work *work);
/* Returns true if the sample and `ran` other blocks suffice. */
bool sg_sample_enough(const sg_sample *s, uint64_t ran);

/* Returns true if the chains of the blocks that run now count. */
bool sg_sample_chains(const sg_sample *s);

/* Call once, when enough blocks have ended. If L2 sees the predicted accesses of the others, fills
 * seen by op. Only chains of later blocks count. */
void sg_sample_replays(sg_sample *s, sg_seen *seen);

/* The first returns true if all members have ended. The second returns true if the others follow
 * from them; else sets *why. */
bool sg_sample_done(const sg_sample *s);
bool sg_sample_holds(const sg_sample *s, enum sg_no_time *why);

/* Computes the traits of the whole grid if the sample holds. Sets all->no_time if much of the work
 * was in blocks unlike its members. */
void sg_sample_report(const sg_sample *s, sg_traits *all);
