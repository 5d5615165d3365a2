/* sample.h: a launch by some of its blocks. Most grids' blocks do the same, each in another place:
 * the sample's blocks are traced, and what the others do follows from these and from their work. */
#ifndef SOFTGPU_SAMPLE_H
#define SOFTGPU_SAMPLE_H

#include <stdbool.h>

#include "runtime/softgpu/watch/trace/replay.h"

typedef struct sg_sample sg_sample;

/* The work of a block: instructions of PTX, and its warps' accesses of memory and shared memory. */
enum { SG_WORK_ISSUED, SG_WORK_MEMORY, SG_WORK_SHARED, SG_WORKS };
typedef struct sg_work {
    double of[SG_WORKS];
} sg_work;
void sg_work_add(sg_work *all, const sg_work *one);

/* A sample of the launch's blocks, n_ops the places of its instructions; NULL: the grid is too
 * small for one, or no memory. */
sg_sample *sg_sample_new(const sg_launch *launch, uint32_t n_ops);
void sg_sample_free(sg_sample *s);

/* The k-th block to run: the sample's come first, then the others in their order, or drawn, so that
 * one may come twice. */
uint64_t sg_sample_block(const sg_sample *s, uint64_t k, bool drawn);
bool sg_sample_has(const sg_sample *s, uint64_t block);

/* A block of the sample begins, and stands for so many; asks L2 for a sector or writes bytes of
 * one; has ended: before and after it all blocks together had done so much. */
double sg_sample_begins(sg_sample *s, uint64_t block);
void sg_sample_touch(sg_sample *s, uint32_t op, uint64_t sector, uint32_t written);
void sg_sample_ends(sg_sample *s, const sg_traits *before, const sg_traits *after,
                    const sg_work *work);
/* Another block has ended, on any thread. */
void sg_sample_counts(sg_sample *s, uint64_t block, const sg_work *work);
/* Returns true if `ran` blocks tell enough of the others, with the sample's. */
bool sg_sample_enough(const sg_sample *s, uint64_t ran);

/* Do the chains of the blocks that run now count? */
bool sg_sample_chains(const sg_sample *s);

/* Once, as soon as enough blocks have ended: does L2 see of the others what follows from these?
 * Then seen has what L2 has by op. The chains of the blocks from then on are those that count. */
void sg_sample_replays(sg_sample *s, sg_seen *seen);

/* Have all of the sample ended? And: do the others follow from them, or else why not. */
bool sg_sample_done(const sg_sample *s);
bool sg_sample_holds(const sg_sample *s, const char **why);

/* Gives the traits of the whole grid if the sample holds. Sets all->unknown if much of the work was
 * in blocks unlike its members. */
void sg_sample_report(const sg_sample *s, sg_traits *all);

#endif
