/* sample.h: a launch by some of its blocks. Most grids' blocks do the same, each in another place:
 * a few of them are looked at closely, and what the others do follows. Whether it does is tried on
 * further blocks of the sample: first and last, and some between. */
#ifndef SOFTGPU_SAMPLE_H
#define SOFTGPU_SAMPLE_H

#include <stdbool.h>

#include "runtime/softgpu/watch/trace/replay.h"

typedef struct sg_sample sg_sample;

/* A sample of the launch's blocks, n_ops the places of its instructions; NULL: the grid is too
 * small for one, or no memory. */
sg_sample *sg_sample_new(const sg_launch *launch, uint32_t n_ops);
void sg_sample_free(sg_sample *s);

/* The k-th block to run: the sample's come first, then the others in their order. */
uint64_t sg_sample_block(const sg_sample *s, uint64_t k);
bool sg_sample_has(const sg_sample *s, uint64_t block);

/* A block of the sample begins; asks L2 for a sector or writes bytes of one; has ended: before and
 * after it all blocks together had done so much, and it had that many instructions of PTX. */
void sg_sample_begins(sg_sample *s, uint64_t block);
void sg_sample_touch(sg_sample *s, uint32_t op, uint64_t sector, uint32_t written);
void sg_sample_ends(sg_sample *s, const sg_traits *before, const sg_traits *after,
                    uint64_t instructions);

/* How many blocks the block of the sample stands for; do the chains of those that run now count? */
double sg_sample_weight(const sg_sample *s, uint64_t block);
bool sg_sample_chains(const sg_sample *s);

/* Once, as soon as enough blocks have ended: does L2 see of the others what follows from these?
 * Then seen has what L2 has by op. The chains of the blocks from then on are those that count. */
void sg_sample_replays(sg_sample *s, sg_seen *seen);

/* Have all of the sample ended? And: do the others follow from them, or else why not. */
bool sg_sample_done(const sg_sample *s);
bool sg_sample_holds(const sg_sample *s, const char **why);

/* Of the whole grid, where the sample holds: each of its blocks stands for others like it. Where
 * the instructions of all blocks were counted, `instructions` of PTX, else 0, theirs are scaled. */
void sg_sample_report(const sg_sample *s, uint64_t instructions, sg_traits *all);

#endif
